/* Inputs of a read from JSON: nested lists of numbers, checked to be rectangular before any memory
 * is asked for, with messages that say where. */
#include <stdio.h>
#include <string.h>

#include "api/loader.h"
#include "base/file.h"
#include "base/guess.h"

static const char *const words[] = {"attention", "labels",      "causal",     "first",
                                    "hidden",    "hidden_size", "parameters", NULL};

static bool is_one_of(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names;
}

/* ---- arrays ------------------------------------------------------------------------------- */

/* a place in an array, for messages: queries[2][0] */
typedef struct {
    const char *name;
    int depth;
    size_t index[ATTEND_READ_AXES];
} place;

typedef struct {
    char text[160];
} place_text;

static place_text print_place(const place *p)
{
    place_text out;
    int used = snprintf(out.text, sizeof out.text, "%.60s", at_show(p->name).text);
    for (int i = 0; i < p->depth && used < (int)sizeof out.text; i++)
        used += snprintf(out.text + used, sizeof out.text - (size_t)used, "[%zu]", p->index[i]);
    return out;
}

/* the sizes along the first elements */
static attend_status measure(at_loader *l, const char *name, const json_t *v, attend_array *a)
{
    *a = (attend_array){.rank = 0};
    for (; json_is_array(v); v = json_array_get(v, 0)) {
        if (a->rank == ATTEND_READ_AXES || json_array_size(v) == 0)
            return at_error(l->err, ATTEND_FORMAT, "%s: %s %s", at_show(l->file).text,
                            at_show(name).text,
                            a->rank == ATTEND_READ_AXES ? "has more than 4 axes; give it fewer"
                                                        : "has an empty list; give it numbers");
        a->shape[a->rank++] = json_array_size(v);
    }
    return ATTEND_OK;
}

/* Is all of it as the first elements are? Numbers go to *data, where there is one. */
static attend_status walk(at_loader *l, place *p, const json_t *v, const attend_array *a,
                          double **data)
{
    bool leaf = p->depth == a->rank;
    if (leaf && (json_is_number(v) || json_is_boolean(v))) {
        if (data)
            *(*data)++ = json_is_number(v) ? json_number_value(v) : json_is_true(v);
        return ATTEND_OK;
    }
    if (leaf || !json_is_array(v))
        return at_error(l->err, ATTEND_FORMAT, "%s: %s is %s; write %s there",
                        at_show(l->file).text, print_place(p).text, leaf ? "no number" : "no list",
                        leaf ? "one" : "a list of numbers");
    size_t want = a->shape[p->depth], got = json_array_size(v);
    if (want != got)
        return at_error(l->err, ATTEND_FORMAT,
                        "%s: %s has %zu entries, others %zu; make them all equally long",
                        at_show(l->file).text, print_place(p).text, got, want);
    attend_status status = ATTEND_OK;
    for (size_t i = 0; i < got && status >= 0; i++) {
        p->index[p->depth++] = i;
        status = walk(l, p, json_array_get(v, i), a, data);
        if (status >= 0)
            p->depth--;
    }
    return status;
}

static attend_status take_array(at_loader *l, const char *name, const json_t *v, attend_array *out)
{
    attend_array a;
    place p = {.name = name};
    size_t len;
    attend_status status = measure(l, name, v, &a);
    if (status >= 0)
        status = walk(l, &p, v, &a, NULL);
    if (status < 0)
        return status;
    double *data = at_array_len(a, &len) ? at_loader_memory(l, len, sizeof *data) : NULL,
           *to = data;
    if (!data)
        return at_error_memory(l->err);
    a.data = data;
    *out = a;
    return walk(l, &p, v, &a, &to);
}

/* ---- labels ------------------------------------------------------------------------------- */

/* strings, or lists of strings, one for each sentence */
static size_t count_labels(const json_t *v)
{
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(v); i++) {
        const json_t *one = json_array_get(v, i);
        n += json_is_array(one) ? json_array_size(one) : 1;
    }
    return n;
}

static attend_status bad_label(at_loader *l, const char *of)
{
    return at_error(l->err, ATTEND_FORMAT,
                    "%s: labels of %s must be a list of strings, or one such list for each "
                    "sentence; correct it",
                    at_show(l->file).text, of);
}

static attend_status take_labels(at_loader *l, const char *of, const json_t *v)
{
    attend_read_options *o = &l->in->options;
    size_t count = count_labels(v), n = 0;
    const char **labels = at_loader_memory(l, count, sizeof *labels);
    if (!labels)
        return at_error_memory(l->err);
    if (!json_is_array(v))
        return bad_label(l, of);
    for (size_t i = 0; i < json_array_size(v); i++) {
        const json_t *one = json_array_get(v, i);
        size_t inner = json_is_array(one) ? json_array_size(one) : 1;
        for (size_t k = 0; k < inner; k++) {
            const json_t *label = json_is_array(one) ? json_array_get(one, k) : one;
            if (!json_is_string(label))
                return bad_label(l, of);
            if (!(labels[n++] = at_loader_text(l, json_string_value(label))))
                return at_error_memory(l->err);
        }
    }
    if (strcmp(of, "keys") == 0)
        o->key_labels = labels, o->key_label_count = count;
    else
        o->query_labels = labels, o->query_label_count = count;
    return ATTEND_OK;
}

attend_status at_loader_labels(at_loader *l, const json_t *v)
{
    static const char *const sides[] = {"queries", "keys"};
    attend_status status = ATTEND_OK;
    for (int i = 0; i < 2 && status >= 0; i++) {
        const json_t *list = json_is_object(v) ? json_object_get(v, sides[i]) : v;
        status = list ? take_labels(l, sides[i], list) : ATTEND_OK;
    }
    return status;
}

/* ---- JSON --------------------------------------------------------------------------------- */

static attend_status unknown(at_loader *l, const char *key)
{
    at_guess guess = {.word = key};
    for (const at_read_array *a = at_read_arrays; a->name; a++)
        at_guess_consider(&guess, a->name, strlen(a->name));
    for (const char *const *w = words; *w; w++)
        at_guess_consider(&guess, *w, strlen(*w));
    return at_error(l->err, ATTEND_FORMAT, "%s: key '%.60s' is not known%s%s%s",
                    at_show(l->file).text, at_show(key).text,
                    *guess.best ? "; did you mean '" : "; attend help read names those there are",
                    guess.best, *guess.best ? "'?" : "");
}

static attend_status take_parameters(at_loader *l, const json_t *v)
{
    attend_read_options *o = &l->in->options;
    if (!json_is_object(v))
        return at_error(l->err, ATTEND_FORMAT,
                        "%s: parameters must be an object, {\"score.weight\": [[..]]}; correct it",
                        at_show(l->file).text);
    attend_parameter *all = at_loader_memory(l, json_object_size(v), sizeof *all);
    if (!all)
        return at_error_memory(l->err);
    attend_status status = ATTEND_OK;
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)v, name, value)
    {
        attend_parameter *p = &all[o->parameter_count++];
        p->name = at_loader_text(l, name);
        status = p->name ? take_array(l, name, value, &p->array) : at_error_memory(l->err);
        if (status < 0)
            return status;
    }
    o->parameters = all;
    return ATTEND_OK;
}

static attend_status take_words(at_loader *l, const json_t *root)
{
    attend_read_options *o = &l->in->options;
    at_fields f = at_fields_of(root, l->file, l->err);
    const char *attention = at_field_string(&f, "attention", NULL);
    o->causal = at_field_bool(&f, "causal", false);
    o->first = (int)at_field_int(&f, "first", 0, -ATTEND_READ_FARTHEST, ATTEND_READ_FARTHEST);
    o->hidden_size = (int)at_field_int(&f, "hidden_size", 0, 1, ATTEND_READ_WIDEST);
    if (f.status >= 0 && attention && !(o->attention = at_loader_text(l, attention)))
        return at_error_memory(l->err);
    return f.status;
}

static attend_status take_json(at_loader *l, const json_t *root)
{
    attend_status status = take_words(l, root);
    attend_array hidden = {0};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)root, key, value)
    {
        attend_array *array = at_loader_array(l, key);
        if (status < 0)
            return status;
        if (json_is_null(value) || at_loader_is_result(key))
            continue;
        if (array)
            status = take_array(l, key, value, array);
        else if (strcmp(key, "hidden") == 0)
            status = take_array(l, key, value, &hidden);
        else if (strcmp(key, "labels") == 0)
            status = at_loader_labels(l, value);
        else if (strcmp(key, "parameters") == 0)
            status = take_parameters(l, value);
        else if (!is_one_of(words, key))
            status = unknown(l, key);
    }
    return status >= 0 && hidden.data ? at_loader_hide(l, hidden) : status;
}

attend_status at_loader_json(at_loader *l, const char *bytes, size_t size)
{
    json_t *root;
    size_t mark = size >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3) ? 3 : 0; /* byte order mark */
    attend_status status = at_json_parse(l->file, bytes + mark, size - mark, &root, l->err);
    if (status < 0)
        return status;
    status = take_json(l, root);
    json_decref(root);
    return status;
}
