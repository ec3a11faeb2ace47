/* attend_read: the numbers of other people's programs, files in and out, and refusals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "attend.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/random.h"
#include "store/safetensors.h"

#define ORACLE "tests/fixtures/oracle/attention/"

static attend_reading *read_well(const attend_read_options *o)
{
    attend_reading *r;
    attend_error err;
    if (attend_read(o, &r, &err) < 0)
        fail_msg("%s", err.message);
    return r;
}

static size_t len_of(attend_array a)
{
    size_t len = 1;
    for (int i = 0; i < a.rank; i++)
        len *= a.shape[i];
    return len;
}

/* ---- the oracle's cases ------------------------------------------------------------------- */

/* a tensor of a file, as doubles to be freed; data is NULL where there is none */
static attend_array stored(const char *name, const char *file, const char *tensor)
{
    char path[200];
    at_safetensors *s;
    attend_array a = {0};
    snprintf(path, sizeof path, ORACLE "%s/%s.safetensors", name, file);
    if (!at_file_exists(path))
        return a;
    assert_int_equal(at_safetensors_open(path, &s, NULL), ATTEND_OK);
    const at_stored *t = at_safetensors_find(s, tensor);
    if (t) {
        real *numbers = malloc((t->len + 1) * sizeof *numbers);
        double *data = malloc((t->len + 1) * sizeof *data);
        assert_int_equal(at_safetensors_read(s, t, numbers, NULL), ATTEND_OK);
        for (size_t i = 0; i < t->len; i++)
            data[i] = (double)numbers[i];
        a = (attend_array){.data = data, .rank = t->rank};
        for (int i = 0; i < t->rank; i++)
            a.shape[i] = (size_t)t->dim[i];
        free(numbers);
    }
    at_safetensors_close(s);
    return a;
}

static void drop(attend_array a) { free((void *)a.data); }

static void compare(const char *name, const char *what, attend_array got, attend_array want)
{
    if (!want.data)
        return;
    if (len_of(got) != len_of(want))
        fail_msg("%s: %s has %zu numbers, not %zu", name, what, len_of(got), len_of(want));
    for (size_t i = 0; i < len_of(want); i++)
        if (isfinite(got.data[i]) && !(fabs(got.data[i] - want.data[i]) < 2e-5))
            fail_msg("%s: %s[%zu] is %.9g, not %.9g", name, what, i, got.data[i], want.data[i]);
}

typedef struct {
    const char *name, *attention;
    struct {
        const char *theirs, *ours;
    } weight[4];
    int causal; /* instead of the mask */
} oracle_case;

static const oracle_case cases[] = {
    {"dot_masked", "dot", {{0}}, 0},
    {"scaled_dot_x", NULL, {{0}}, 0},
    {"scaled_dot_causal", "scaled-dot", {{0}}, 1},
    {"general_masked", "general", {{"W", "score.weight"}}, 0},
    {"additive_bias_masked",
     "additive:bias",
     {{"W_q", "score.query"}, {"W_k", "score.key"}, {"w_v", "score.energy"}, {"b", "score.bias"}},
     0},
    {"location_masked", "location:4", {{"W", "score.weight"}}, 0},
    {"cosine", "cosine:1", {{0}}, 0},
    {"local_m", "bilinear/window:2", {{"W_a", "score.weight"}}, 0},
    {"local_p",
     "bilinear/predicted:2",
     {{"W_a", "score.weight"}, {"W_p", "position.weight"}, {"v_p", "position.energy"}},
     0},
    {"hard_argmax", "dot/global/hard", {{0}}, 0},
};

/* the case as options; what it holds is in arrays[] */
static attend_read_options options_of(const oracle_case *c, attend_array arrays[9],
                                      attend_parameter parameters[4])
{
    static const char *const names[] = {"q", "k", "v", "mask", "lengths"};
    attend_read_options o;
    attend_read_defaults(&o);
    for (int i = 0; i < 5; i++)
        arrays[i] = stored(c->name, "inputs", names[i]);
    for (size_t i = 0; arrays[3].data && i < len_of(arrays[3]); i++)
        ((double *)arrays[3].data)[i] = arrays[3].data[i] == 0; /* theirs is what is hidden */
    o.attention = c->attention;
    o.queries = arrays[0];
    o.keys = arrays[1];
    o.values = arrays[2];
    o.mask = c->causal ? (attend_array){0} : arrays[3];
    o.lengths = arrays[4];
    o.causal = c->causal;
    for (int i = 0; i < 4 && c->weight[i].theirs; i++) {
        arrays[5 + i] = stored(c->name, "model", c->weight[i].theirs);
        parameters[o.parameter_count++] = (attend_parameter){c->weight[i].ours, arrays[5 + i]};
    }
    o.parameters = parameters;
    return o;
}

static void agrees_with_other_programs(void **state)
{
    (void)state;
    static const char *const theirs[] = {"scores", "weights", "output", "p_t"};
    static const char *const ours[] = {"scores", "weights", "context", "centre"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        attend_array arrays[9] = {{0}};
        attend_parameter parameters[4];
        attend_read_options o = options_of(&cases[i], arrays, parameters);
        attend_reading *r = read_well(&o);
        for (int k = 0; k < 4; k++) {
            attend_array got = attend_reading_array(r, ours[k]);
            attend_array want = stored(cases[i].name, "expected", theirs[k]);
            if (got.data)
                compare(cases[i].name, theirs[k], got, want);
            drop(want);
        }
        attend_reading_free(r);
        for (int k = 0; k < 9; k++)
            drop(arrays[k]);
    }
}

static void a_position_without_a_score_has_no_weight(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        attend_array arrays[9] = {{0}};
        attend_parameter parameters[4];
        attend_read_options o = options_of(&cases[i], arrays, parameters);
        attend_reading *r = read_well(&o);
        attend_array e = attend_reading_array(r, "scores"), w = attend_reading_array(r, "weights");
        size_t hidden = 0;
        for (size_t k = 0; k < len_of(w); k++) {
            assert_true(isfinite(e.data[k]) || (e.data[k] < 0 && w.data[k] == 0));
            hidden += !isfinite(e.data[k]);
        }
        assert_true((o.mask.data || o.lengths.data || o.causal) == (hidden > 0));
        attend_reading_free(r);
        for (int k = 0; k < 9; k++)
            drop(arrays[k]);
    }
}

/* ---- batches ------------------------------------------------------------------------------ */

enum { B = 3, Q = 4, K = 5, D = 4 };
static double q_data[B * Q * D], k_data[B * K * D], v_data[B * K * D];
static const double lengths[B] = {5, 3, 1};
static const char *const words[] = {"a", "b", "c", "d", "e"};

static attend_read_options batch(const char *attention)
{
    attend_read_options o;
    attend_read_defaults(&o);
    for (uint32_t i = 0; i < B * K * D; i++) {
        q_data[i % (B * Q * D)] = at_random_normal((at_random){.seed = 1}, i);
        k_data[i] = at_random_normal((at_random){.seed = 2}, i);
        v_data[i] = at_random_normal((at_random){.seed = 3}, i);
    }
    o.attention = attention;
    o.queries = (attend_array){q_data, 3, {B, Q, D}};
    o.keys = (attend_array){k_data, 3, {B, K, D}};
    o.values = (attend_array){v_data, 3, {B, K, D}};
    o.lengths = (attend_array){lengths, 1, {B}};
    o.seed = 5;
    return o;
}

static const char *const several[] = {"scaled-dot",        "additive/predicted:2/soft/2",
                                      "bilinear/window:1", "cosine/expanded:0,2/sparse",
                                      "dot/global/hard",   "gaussian/hybrid:window,1/soft/4"};

static void a_batch_equals_its_sentences(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof several / sizeof *several; i++) {
        attend_read_options all = batch(several[i]), one = all;
        attend_reading *r = read_well(&all);
        attend_array c = attend_reading_array(r, "context"), w = attend_reading_array(r, "weights");
        for (int b = 0; b < B; b++) {
            one.queries = (attend_array){q_data + b * Q * D, 2, {Q, D}};
            one.keys = (attend_array){k_data + b * K * D, 2, {K, D}};
            one.values = (attend_array){v_data + b * K * D, 2, {K, D}};
            one.lengths = (attend_array){lengths + b, 1, {1}};
            attend_reading *s = read_well(&one);
            attend_array cs = attend_reading_array(s, "context");
            attend_array ws = attend_reading_array(s, "weights");
            assert_memory_equal(c.data + (size_t)b * len_of(cs), cs.data,
                                len_of(cs) * sizeof(double));
            assert_memory_equal(w.data + (size_t)b * len_of(ws), ws.data,
                                len_of(ws) * sizeof(double));
            attend_reading_free(s);
        }
        attend_reading_free(r);
    }
}

static void values_that_are_left_out_are_the_keys(void **state)
{
    (void)state;
    attend_read_options o = batch("dot");
    o.values = o.keys;
    attend_reading *a = read_well(&o);
    o.values = (attend_array){0};
    attend_reading *b = read_well(&o);
    attend_array x = attend_reading_array(a, "context"), y = attend_reading_array(b, "context");
    assert_memory_equal(x.data, y.data, len_of(x) * sizeof(double));
    assert_non_null(attend_reading_array(b, "values").data);
    assert_null(attend_reading_array(b, "centre").data);
    assert_null(attend_reading_array(b, "nonsense").data);
    attend_reading_free(a);
    attend_reading_free(b);
}

static void masks_repeat_along_axes_of_one(void **state)
{
    (void)state;
    static const double keys[K] = {1, 0, 1, 1, 0};
    double full[B * Q * K];
    for (int i = 0; i < B * Q * K; i++)
        full[i] = keys[i % K];
    const attend_array masks[] = {{keys, 1, {K}},
                                  {keys, 2, {1, K}},
                                  {full, 2, {Q, K}},
                                  {full, 3, {1, Q, K}},
                                  {full, 3, {B, Q, K}}};
    attend_read_options o = batch("scaled-dot");
    attend_reading *first = NULL;
    for (int i = 0; i < 5; i++) {
        o.mask = masks[i];
        attend_reading *r = read_well(&o);
        attend_array w = attend_reading_array(r, "weights");
        for (size_t k = 0; k < len_of(w); k++)
            assert_true(keys[k % K] != 0 || w.data[k] == 0);
        if (!first) {
            first = r;
            continue;
        }
        assert_memory_equal(w.data, attend_reading_array(first, "weights").data,
                            len_of(w) * sizeof(double));
        attend_reading_free(r);
    }
    attend_reading_free(first);
}

/* ---- parameters --------------------------------------------------------------------------- */

static void parameters_come_from_the_seed_or_from_the_caller(void **state)
{
    (void)state;
    attend_read_options o = batch("location:16");
    attend_parameter made, taken;
    attend_reading *a = read_well(&o);
    assert_int_equal(attend_reading_parameter(a, 0, &made), 1);
    assert_int_equal(attend_reading_parameter(a, 1, &made), 0);
    assert_string_equal(made.name, "score.weight");
    o.seed = 6;
    attend_reading *b = read_well(&o);
    assert_memory_not_equal(attend_reading_array(a, "weights").data,
                            attend_reading_array(b, "weights").data, Q * K * sizeof(double));
    o.parameters = &made;
    o.parameter_count = 1;
    attend_reading *c = read_well(&o);
    attend_reading_parameter(c, 0, &taken);
    assert_memory_equal(taken.array.data, made.array.data, D * D * sizeof(double));
    assert_memory_equal(attend_reading_array(a, "weights").data,
                        attend_reading_array(c, "weights").data, B * Q * K * sizeof(double));
    attend_reading_free(a);
    attend_reading_free(b);
    attend_reading_free(c);
}

static void a_hidden_layer_is_as_wide_as_its_parameters(void **state)
{
    (void)state;
    static const double energy[7] = {1, 2, 3, 4, 5, 6, 7};
    attend_parameter given = {"score.energy", {energy, 1, {7}}}, p;
    attend_read_options o = batch("additive");
    o.parameters = &given;
    o.parameter_count = 1;
    attend_reading *r = read_well(&o);
    assert_int_equal(attend_reading_parameter(r, 0, &p), 1);
    assert_int_equal(p.array.shape[0], 7);
    attend_reading_free(r);
    o.parameter_count = 0;
    o.hidden_size = 3;
    r = read_well(&o);
    assert_int_equal(attend_reading_parameter(r, 0, &p), 1);
    assert_int_equal(p.array.shape[0], 3);
    attend_reading_free(r);
}

/* ---- files -------------------------------------------------------------------------------- */

static char folder[] = "/tmp/attend-read-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static const char *in_folder(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static attend_reading *again(const char *path)
{
    attend_reading *r;
    attend_error err;
    if (attend_read_file(path, NULL, &r, &err) < 0)
        fail_msg("%s", err.message);
    return r;
}

static void what_is_saved_reads_the_same(void **state)
{
    (void)state;
    static const char *const files[] = {"r.json", "r.safetensors"};
    static const char *const arrays[] = {"scores", "weights", "context"};
    for (size_t i = 0; i < sizeof several / sizeof *several; i++)
        for (int f = 0; f < 2; f++) {
            attend_read_options o = batch(several[i]);
            attend_error err;
            o.causal = i % 2 == 0;
            o.first = (int)i;
            o.key_labels = words;
            o.key_label_count = K;
            const char *path = in_folder(files[f]);
            attend_reading *a = read_well(&o), *b;
            if (attend_reading_save(a, path, &err) < 0)
                fail_msg("%s", err.message);
            b = again(path);
            assert_string_equal(attend_reading_attention(a), attend_reading_attention(b));
            assert_string_equal(attend_reading_label(b, "keys", 2, 3), "d");
            assert_null(attend_reading_label(b, "queries", 0, 0));
            for (int k = 0; k < 3; k++) {
                attend_array x = attend_reading_array(a, arrays[k]);
                attend_array y = attend_reading_array(b, arrays[k]);
                assert_int_equal(x.rank, y.rank);
                for (size_t n = 0; n < len_of(x); n++)
                    assert_true(x.data[n] == y.data[n] || fabs(x.data[n] - y.data[n]) < 1e-5);
            }
            unlink(path);
            attend_reading_free(a);
            attend_reading_free(b);
        }
}

static void json_has_no_axes_that_nobody_asked_for(void **state)
{
    (void)state;
    static const double x[4] = {1, 0, 0, 1};
    attend_read_options o;
    attend_read_defaults(&o);
    o.queries = o.keys = (attend_array){x, 2, {2, 2}};
    o.causal = 1;
    attend_reading *r = read_well(&o);
    json_t *json;
    const char *text = attend_reading_json(r);
    assert_ptr_equal(text, attend_reading_json(r));
    assert_int_equal(at_json_parse("text", text, strlen(text), &json, NULL), ATTEND_OK);
    const json_t *scores = json_object_get(json, "scores");
    assert_int_equal(json_array_size(scores), 2);
    assert_true(json_is_null(json_array_get(json_array_get(scores, 0), 1)));
    assert_true(json_is_real(json_array_get(json_array_get(scores, 0), 0)));
    json_decref(json);
    attend_reading_free(r);
    o.attention = "scaled-dot/global/soft/2";
    r = read_well(&o);
    text = attend_reading_json(r);
    assert_int_equal(at_json_parse("text", text, strlen(text), &json, NULL), ATTEND_OK);
    const json_t *head = json_array_get(json_object_get(json, "weights"), 1);
    assert_true(json_is_number(json_array_get(json_array_get(head, 1), 1)));
    json_decref(json);
    attend_reading_free(r);
}

/* ---- refusals ----------------------------------------------------------------------------- */

static void refused(const attend_read_options *o, attend_status status, const char *message)
{
    attend_reading *r;
    attend_error err = {.message = ""};
    assert_int_equal(attend_read(o, &r, &err), status);
    assert_null(r);
    if (!strstr(err.message, message))
        fail_msg("\"%s\" lacks \"%s\"", err.message, message);
}

static void says_what_does_not_fit_and_what_to_do(void **state)
{
    (void)state;
    static const double bad[] = {NAN, 1.5, -1};
    attend_parameter p = {"score.weight", {q_data, 2, {2, 3}}};
    attend_read_options o = batch("dott");
    refused(&o, ATTEND_OPTION, "attention has no score 'dott' (did you mean 'dot'?)");
    o = batch("dot");
    o.queries.data = NULL;
    refused(&o, ATTEND_FORMAT, "there are no queries");
    o = batch("dot");
    o.queries = (attend_array){q_data, 1, {8}};
    refused(&o, ATTEND_SHAPE, "queries are (8); make them (number, width)");
    o = batch("dot");
    o.keys.shape[1] = 0;
    refused(&o, ATTEND_SHAPE, "keys are (3, 0, 4); every size must be 1 or more");
    o = batch("dot");
    o.values = (attend_array){v_data, 3, {B, K - 1, D}};
    refused(&o, ATTEND_SHAPE, "5 keys have 4 values; give each key one");
    o = batch("dot");
    o.keys = o.values = (attend_array){k_data, 2, {K, D}};
    refused(&o, ATTEND_SHAPE, "have 3, 1 and 1 sentences");
    o = batch("dot");
    o.keys = (attend_array){k_data, 3, {B, K, 2}};
    refused(&o, ATTEND_SHAPE, "queries (3, 4, 4) and keys (3, 5, 2): dot needs equal widths");
    o = batch("key-value");
    o.values = (attend_array){v_data, 3, {B, K, 2}};
    refused(&o, ATTEND_SHAPE,
            "(3, 4, 4), keys (3, 5, 4) and values (3, 5, 2) do not fit key-value");
    o = batch("dot/global/soft/3");
    refused(&o, ATTEND_SHAPE, "a width of 4 cannot be cut into 3 heads");
    o = batch("dot");
    o.lengths = (attend_array){bad + 1, 1, {1}};
    refused(&o, ATTEND_SHAPE, "lengths are (1); give one for each of 3 sentences");
    o.lengths = (attend_array){(const double[]){1, 6, 1}, 1, {3}};
    refused(&o, ATTEND_FORMAT, "is 6; it must be a whole one from 0 to 5");
    o = batch("dot/window:1");
    o.centres = (attend_array){bad + 1, 1, {2}};
    refused(&o, ATTEND_SHAPE, "centres are (2); make them (4) or (3, 4)");
    o.centres = (attend_array){bad + 1, 0, {0}};
    refused(&o, ATTEND_SHAPE, "centres are ()");
    o = batch("dot");
    o.mask = (attend_array){q_data, 2, {2, 5}};
    refused(&o, ATTEND_SHAPE, "mask is (2, 5); make it (5), one for each key, (4, 5)");
    o = batch("dot");
    o.queries = (attend_array){bad, 2, {1, 3}};
    refused(&o, ATTEND_NUMBER, "queries (1, 3): number 0 of it, counted from 0, is nan");
    o = batch("bilinear");
    o.parameters = &p;
    o.parameter_count = 1;
    refused(&o, ATTEND_SHAPE, "parameter 'score.weight' is (2, 3); bilinear needs (4, 4) here");
    p.name = "score.wait";
    refused(&o, ATTEND_OPTION,
            "bilinear has no parameter 'score.wait'; it has score.weight (4, 4)");
    o.attention = "dot";
    refused(&o, ATTEND_OPTION, "dot has no parameter 'score.wait'; it has none");
    o = batch("dot");
    o.key_labels = words;
    o.key_label_count = 4;
    refused(&o, ATTEND_SHAPE, "4 labels for 5 keys");
    o = batch("location:2");
    refused(&o, ATTEND_SHAPE, "location attention knows 2 positions, this source has 5");
    o = batch("dot");
    o.size = 3;
    refused(&o, ATTEND_OPTION, "initialise them with attend_read_defaults");
}

static void refused_file(const char *text, const char *message)
{
    attend_reading *r;
    attend_error err = {.message = ""};
    const char *path = in_folder("bad.json");
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    attend_status status = attend_read_file(path, NULL, &r, &err);
    unlink(path);
    assert_true(status < 0);
    assert_null(r);
    if (!strstr(err.message, message) || !strstr(err.message, "bad.json"))
        fail_msg("\"%s\" lacks \"%s\"", err.message, message);
}

static void says_where_a_file_is_wrong(void **state)
{
    (void)state;
    refused_file("", "bad.json:1:");
    refused_file("[1]", "must hold one object");
    refused_file("{\"queries\": [[1, 2], [3]], \"keys\": [[1, 2]]}",
                 "queries[1] has 1 entries, others 2");
    refused_file("{\"queries\": [[1, \"2\"]], \"keys\": [[1, 2]]}",
                 "queries[0][1] is no number; write one there");
    refused_file("{\"queries\": [[1], 2], \"keys\": [[1, 2]]}", "queries[1] is no list");
    refused_file("{\"queries\": [], \"keys\": [[1, 2]]}", "queries has an empty list");
    refused_file("{\"queries\": [[[[[1]]]]], \"keys\": [[1]]}", "queries has more than 4 axes");
    refused_file("{\"keys\": [[1, 2]]}", "there are no queries; they are needed");
    refused_file("{\"querys\": [[1]], \"keys\": [[1]]}",
                 "'querys' is not known; did you mean 'queries'?");
    refused_file("{\"queries\": [[1]], \"keys\": [[1]], \"labels\": {\"keys\": [3]}}",
                 "labels of keys must be a list of strings");
    refused_file("{\"queries\": [[1]], \"keys\": [[1]], \"labels\": 7}",
                 "must be a list of strings");
    refused_file("{\"queries\": [[1]], \"keys\": [[1]], \"causal\": 7}", "must be true or false");
    refused_file("{\"queries\": [[1]], \"keys\": [[1]], \"parameters\": [1]}", "must be an object");
    refused_file("{\"queries\": [[1]], \"keys\": [[1]], \"mask\": [1], \"hidden\": [0]}",
                 "say the same; leave one out");
    refused_file("{\"queries\": [[1, 2]], \"keys\": [[1]]}", "keys (1, 1, 1)");
}

static void a_mask_is_the_opposite_of_hidden(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{\"q\": [[1]], \"k\": [[1], [2], [3]], \"mask\": [true, false, true]}",
        "{\"q\": [[1]], \"k\": [[1], [2], [3]], \"hidden\": [0, 1, 0], \"values\": null}"};
    for (int i = 0; i < 2; i++) {
        const char *path = in_folder("mask.json");
        FILE *file = fopen(path, "w");
        fputs(texts[i], file);
        fclose(file);
        attend_reading *r = again(path);
        attend_array w = attend_reading_array(r, "weights");
        assert_true(w.data[0] > 0 && w.data[1] == 0 && w.data[2] > w.data[0]);
        unlink(path);
        attend_reading_free(r);
    }
}

static void survives_any_failed_allocation(void **state)
{
    (void)state;
    attend_read_options o = batch("additive/hybrid:window,1/soft/2");
    attend_error err;
    o.key_labels = words;
    o.key_label_count = K;
    const char *path = in_folder("memory.json");
    attend_reading *r = read_well(&o);
    assert_int_equal(attend_reading_save(r, path, &err), ATTEND_OK);
    attend_reading_free(r);
    long live = at_alloc_live(), n = 0;
    for (attend_status status = ATTEND_MEMORY; status < 0; n++) {
        at_alloc_fail_after(n);
        status = attend_read_file(path, NULL, &r, &err);
        if (status >= 0 && !attend_reading_json(r))
            status = ATTEND_MEMORY;
        if (status >= 0)
            status = attend_reading_save(r, path, &err);
        at_alloc_fail_after(-1);
        assert_true(status == ATTEND_OK || status == ATTEND_MEMORY);
        attend_reading_free(r);
        assert_int_equal(at_alloc_live(), live);
    }
    assert_true(n > 10);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_other_programs),
        cmocka_unit_test(a_position_without_a_score_has_no_weight),
        cmocka_unit_test(a_batch_equals_its_sentences),
        cmocka_unit_test(values_that_are_left_out_are_the_keys),
        cmocka_unit_test(masks_repeat_along_axes_of_one),
        cmocka_unit_test(parameters_come_from_the_seed_or_from_the_caller),
        cmocka_unit_test(a_hidden_layer_is_as_wide_as_its_parameters),
        cmocka_unit_test(what_is_saved_reads_the_same),
        cmocka_unit_test(json_has_no_axes_that_nobody_asked_for),
        cmocka_unit_test(says_what_does_not_fit_and_what_to_do),
        cmocka_unit_test(says_where_a_file_is_wrong),
        cmocka_unit_test(a_mask_is_the_opposite_of_hidden),
        cmocka_unit_test(survives_any_failed_allocation),
    };
    return cmocka_run_group_tests_name("api_read", tests, make_folder, remove_folder);
}
