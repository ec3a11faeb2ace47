#include "text/gpt2.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/checksum_list.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/random.h"

static const char *const lines[] = {
    "the cat sat on the mat, and the rat sat on the cat",
    "a hat on a cat is a hat on a mat",
    "the rat ate the hat; the cat ate the rat",
    "Käse für die Katze, Käse für die Ratte",
    "汤姆喜欢猫，猫喜欢汤姆",
};

enum { SIZE = 290, END = SIZE - 1 };

static char folder[] = "/tmp/attend-gpt2-......";
static at_tokenizer *learned;

static int next_line(void *user, const char **text, size_t *size, attend_error *err)
{
    size_t *at = user;
    (void)err;
    if (*at == sizeof lines / sizeof *lines)
        return 0;
    *text = lines[(*at)++];
    *size = strlen(*text);
    return 1;
}

static attend_status learn(int size, int min_count, at_tokenizer **out, attend_error *err)
{
    size_t at = 0;
    attend_learn_options o;
    attend_learn_defaults(&o);
    o.vocabulary = size;
    o.min_count = min_count;
    return at_tokenizer_learn("gpt2", (at_line_source){next_line, &at}, &o, out, err);
}

static int enter(void **state)
{
    (void)state;
    at_json_start();
    memset(folder + strlen(folder) - 6, 'X', 6); /* as mkdtemp wants it */
    return !mkdtemp(folder) || learn(SIZE, -1, &learned, NULL) < 0;
}

static int leave(void **state)
{
    char command[100];
    (void)state;
    at_tokenizer_free(learned);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command) || at_alloc_live() != 0;
}

static const char *in_folder(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put(const char *name, const char *text)
{
    FILE *f = fopen(in_folder(name), "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void assert_says(const attend_error *err, const char *part)
{
    if (!strstr(err->message, part))
        fail_msg("\"%s\" does not say \"%s\"", err->message, part);
}

static at_tokens encoded(const at_tokenizer *t, const char *text, size_t size)
{
    at_tokens p = {0};
    attend_error err;
    if (at_encode(t, text, size, &p, &err) < 0)
        fail_msg("%s", err.message);
    return p;
}

static void assert_comes_back(const at_tokenizer *t, const char *text, size_t size)
{
    at_tokens p = encoded(t, text, size);
    int32_t *ids = at_alloc((p.count + 1) * sizeof *ids);
    at_str back = {0};
    size_t end = 0;
    for (size_t i = 0; i < p.count; i++) {
        ids[i] = p.item[i].id;
        assert_int_equal(p.item[i].begin, end);
        assert_true(p.item[i].end > p.item[i].begin);
        end = p.item[i].end;
    }
    assert_int_equal(end, size);
    assert_int_equal(at_decode(t, ids, p.count, ATTEND_DECODE_SPECIAL, &back, NULL), ATTEND_OK);
    assert_int_equal(back.length, size);
    assert_memory_equal(at_str_text(&back), text, size);
    at_str_free(&back);
    at_free(ids);
    at_tokens_free(&p);
}

/* ---- learning --------------------------------------------------------------------------- */

static const char *token_at(const at_tokenizer *t, int32_t id)
{
    return at_vocab_text(t->vocab, id, NULL);
}

static void learning_merges_the_most_frequent_pairs(void **state)
{
    (void)state;
    assert_int_equal(at_tokenizer_size(learned), SIZE);
    assert_string_equal(token_at(learned, 0), "!");
    assert_string_equal(token_at(learned, 220), "Ġ");
    assert_string_equal(token_at(learned, 256), "at"); /* 18 times; "Ġt" and "th" are rarer */
    assert_string_equal(token_at(learned, END), ATTEND_GPT2_END);
    assert_int_equal(learned->special[ATTEND_SPECIAL_EOS], END);
    assert_int_equal(learned->special[ATTEND_SPECIAL_UNK], -1);
    at_tokens p = encoded(learned, "the cat", 7);
    assert_int_equal(p.count, 2);
    assert_string_equal(token_at(learned, p.item[0].id), "the");
    assert_string_equal(token_at(learned, p.item[1].id), "Ġcat");
    assert_int_equal(p.item[1].begin, 3);
    assert_int_equal(p.item[1].word, 1);
    at_tokens_free(&p);
}

static void learning_is_the_same_every_time(void **state)
{
    (void)state;
    at_tokenizer *again;
    assert_int_equal(learn(SIZE, 2, &again, NULL), ATTEND_OK);
    for (int32_t id = 0; id < SIZE; id++)
        assert_string_equal(token_at(learned, id), token_at(again, id));
    at_tokenizer_free(again);
}

static void learning_ends_where_no_pair_is_frequent(void **state)
{
    (void)state;
    at_tokenizer *t;
    assert_int_equal(learn(5000, 3, &t, NULL), ATTEND_OK);
    assert_in_range(at_tokenizer_size(t), 258, 400);
    at_tokenizer_free(t);
    assert_int_equal(learn(257, -1, &t, NULL), ATTEND_OK);
    assert_int_equal(at_tokenizer_size(t), 257);
    assert_comes_back(t, "cat", 3);
    at_tokenizer_free(t);
}

static void learning_refuses_sizes_without_room_for_bytes(void **state)
{
    (void)state;
    at_tokenizer *t;
    attend_error err;
    assert_int_equal(learn(256, -1, &t, &err), ATTEND_OPTION);
    assert_says(&err, "257");
    assert_null(t);
}

/* ---- text ------------------------------------------------------------------------------- */

static void any_bytes_come_back_with_their_places(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 500; seed++) {
        char text[300];
        size_t size = at_random_below((at_random){.seed = seed}, 0, sizeof text);
        uint32_t below = seed % 3 ? 256 : 128;
        for (size_t i = 0; i < size; i++)
            text[i] = (char)at_random_below((at_random){.seed = seed, .step = 1}, (uint32_t)i,
                                            below);
        assert_comes_back(learned, text, size);
    }
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_comes_back(learned, lines[i], strlen(lines[i]));
}

static void invalid_bytes_are_counted(void **state)
{
    (void)state;
    at_tokens p = encoded(learned, "a \xFF\xFE b\x80", 7);
    assert_int_equal(p.invalid, 3);
    at_tokens_free(&p);
}

static void special_tokens_are_found_in_texts(void **state)
{
    (void)state;
    static const char text[] = "cat<|endoftext|>rat";
    at_tokens p = encoded(learned, text, strlen(text));
    int32_t ids[8];
    at_str plain = {0};
    assert_int_equal(p.item[1].id, END);
    assert_int_equal(p.item[1].begin, 3);
    assert_int_equal(p.item[1].end, 16);
    for (size_t i = 0; i < p.count; i++)
        ids[i] = p.item[i].id;
    assert_int_equal(at_decode(learned, ids, p.count, ATTEND_DECODE_PLAIN, &plain, NULL),
                     ATTEND_OK);
    assert_string_equal(at_str_text(&plain), "catrat");
    at_str_free(&plain);
    at_tokens_free(&p);

    at_gpt2_split_specials(learned, true);
    p = encoded(learned, text, strlen(text));
    for (size_t i = 0; i < p.count; i++)
        assert_true(p.item[i].id != END);
    at_gpt2_split_specials(learned, false);
    at_tokens_free(&p);
    assert_comes_back(learned, text, strlen(text));
}

static void a_blank_before_the_text_is_no_part_of_it(void **state)
{
    (void)state;
    at_gpt2_tokenizer *g = (at_gpt2_tokenizer *)learned;
    g->prefix_space = true;
    at_tokens p = encoded(learned, "cat cat", 7);
    assert_string_equal(token_at(learned, p.item[0].id), "Ġcat");
    assert_int_equal(p.item[0].begin, 0);
    assert_int_equal(p.item[0].end, 3);
    assert_int_equal(p.item[1].begin, 3);
    assert_int_equal(p.item[1].end, 7);
    at_tokens_free(&p);
    p = encoded(learned, " cat", 4);
    assert_int_equal(p.item[0].end, 4);
    g->prefix_space = false;
    at_tokens_free(&p);
}

static void tokens_as_text_are_joined(void **state)
{
    (void)state;
    const at_text tokens[] = {{"the", 3}, {"Ġcat", 5}, {"汤", 3}, {"Ġ!", 3}};
    at_str out = {0};
    assert_int_equal(at_join(learned, tokens, 4, &out, NULL), ATTEND_OK);
    assert_string_equal(at_str_text(&out), "the cat汤 !");
    at_str_free(&out);
}

static void *encode_all(void *arg)
{
    const int32_t *want = arg; /* pieces of each line */
    for (int round = 0; round < 200; round++)
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
            at_tokens p = {0};
            if (at_encode(learned, lines[i], strlen(lines[i]), &p, NULL) < 0
                || (int32_t)p.count != want[i])
                return "differs";
            at_tokens_free(&p);
        }
    return NULL;
}

static void threads_share_a_tokenizer(void **state)
{
    (void)state;
    at_tokenizer *before = learned;
    pthread_t thread[4];
    int32_t want[sizeof lines / sizeof *lines];
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        at_tokens p = encoded(learned, lines[i], strlen(lines[i]));
        want[i] = (int32_t)p.count;
        at_tokens_free(&p);
    }
    assert_int_equal(learn(SIZE, -1, &learned, NULL), ATTEND_OK); /* with an empty cache */
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, encode_all, want), 0);
    for (int i = 0; i < 4; i++) {
        void *fault;
        pthread_join(thread[i], &fault);
        assert_null(fault);
    }
    at_tokenizer_free(learned);
    learned = before;
}

/* ---- files ------------------------------------------------------------------------------ */

static void assert_same(const at_tokenizer *a, const at_tokenizer *b)
{
    assert_int_equal(at_tokenizer_size(a), at_tokenizer_size(b));
    for (int i = 0; i < ATTEND_SPECIALS; i++)
        assert_int_equal(a->special[i], b->special[i]);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        at_tokens p = encoded(a, lines[i], strlen(lines[i])),
                  q = encoded(b, lines[i], strlen(lines[i]));
        assert_int_equal(p.count, q.count);
        for (size_t k = 0; k < p.count; k++)
            assert_int_equal(p.item[k].id, q.item[k].id);
        at_tokens_free(&p);
        at_tokens_free(&q);
    }
}

static void what_is_saved_is_opened(void **state)
{
    (void)state;
    static const char *const names[] = {"", "/vocab.json", "/tokenizer.json"};
    at_tokenizer *t;
    attend_error err;
    char path[200];
    snprintf(path, sizeof path, "%s/saved", folder);
    assert_int_equal(at_tokenizer_save(learned, path, &err), ATTEND_OK);
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/saved%s", folder, names[i]);
        if (at_tokenizer_open(path, &t, &err) < 0)
            fail_msg("%s", err.message);
        assert_same(learned, t);
        at_tokenizer_free(t);
    }
    at_checksum_list_remove(in_folder("saved"));
    snprintf(path, sizeof path, "%s/saved/vocab.json", folder);
    assert_int_equal(rename(path, in_folder("saved/encoder.json")), 0);
    snprintf(path, sizeof path, "%s/saved/merges.txt", folder);
    assert_int_equal(rename(path, in_folder("saved/vocab.bpe")), 0);
    assert_int_equal(at_tokenizer_open(in_folder("saved/encoder.json"), &t, &err), ATTEND_OK);
    assert_same(learned, t);
    at_tokenizer_free(t);
}

/* all bytes and "ab"; "ab" has the id 256 */
static void put_vocab(const char *name, const char *more)
{
    at_tokenizer *t;
    at_str text = {0};
    assert_int_equal(learn(257, -1, &t, NULL), ATTEND_OK);
    for (int32_t id = 0; id < 256; id++) {
        at_str_add(&text, id ? ", " : "{");
        at_str_add_json(&text, token_at(t, id));
        at_str_print(&text, ": %d", (int)id);
    }
    at_str_print(&text, ", \"ab\": 256%s}", more);
    put(name, at_str_text(&text));
    at_str_free(&text);
    at_tokenizer_free(t);
}

static void merges_may_have_a_version_and_foreign_line_ends(void **state)
{
    (void)state;
    at_tokenizer *t;
    static const char *const forms[] = {"a b", "a b\n", "#version: 0.2\r\na b\r\n", "a b\n\n"};
    put_vocab("vocab.json", "");
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        attend_error err;
        put("merges.txt", forms[i]);
        if (at_tokenizer_open(in_folder("vocab.json"), &t, &err) < 0)
            fail_msg("%s", err.message);
        at_tokens p = encoded(t, "abab", 4);
        assert_int_equal(p.count, 2);
        assert_int_equal(p.item[0].id, 256);
        assert_int_equal(t->special[ATTEND_SPECIAL_EOS], -1);
        at_tokens_free(&p);
        at_tokenizer_free(t);
    }
}

static void faults_in_files_are_told_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *merges, *more, *says;
    } cases[] = {
        {"#version: 0.2\na b\nab\n", "", "merges.txt:3: a merge is two pieces"},
        {"a b c\n", "", "merges.txt:1: a merge is two"},
        {"a b\n\na b\n", "", "merges.txt:2: a merge is two"},
        {"a b\nab zz\n", "", "merges.txt:2: the piece \"zz\" is not in the vocabulary"},
        {"b a\n", "", "merges.txt:1: the piece \"ba\" is not"},
        {"a b\n", ", \"cd\": 256", "\"cd\""},
        {"a b\n", ", \"cd\": -1", "\"cd\""},
        {"a b\n", ", \"cd\": 99999999", "\"cd\""},
        {"a b\n", ", \"cd\": \"x\"", "\"cd\""},
        {"a b\n", ", \"cd\": 258", "vocab.json: no piece has the id 257"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        at_tokenizer *t;
        attend_error err;
        put_vocab("vocab.json", cases[i].more);
        put("merges.txt", cases[i].merges);
        assert_int_equal(at_tokenizer_open(in_folder("vocab.json"), &t, &err), ATTEND_FORMAT);
        assert_says(&err, cases[i].says);
        assert_null(t);
    }
    at_tokenizer *t;
    attend_error err;
    put_vocab("vocab.json", "");
    unlink(in_folder("merges.txt"));
    assert_int_equal(at_tokenizer_open(in_folder("vocab.json"), &t, &err), ATTEND_FILE);
    assert_says(&err, "merges.txt");
}

/* the first lines of a saved list of merges, and without tokenizer_config.json */
static void merges_that_were_cut_are_refused(void **state)
{
    (void)state;
    char path[100], *text, config[100];
    size_t size;
    at_tokenizer *t;
    attend_error err;
    assert_int_equal(learn(300, 1, &t, NULL), ATTEND_OK);
    assert_int_equal(at_tokenizer_save(t, in_folder("cut"), &err), ATTEND_OK);
    at_tokenizer_free(t);
    at_checksum_list_remove(in_folder("cut")); /* it would notice every cut */
    snprintf(path, sizeof path, "%s/cut/merges.txt", folder);
    snprintf(config, sizeof config, "%s/cut/tokenizer_config.json", folder);
    assert_int_equal(at_file_read(path, 1 << 20, &text, &size, &err), ATTEND_OK);
    for (int foreign = 0; foreign < 2; foreign++) {
        size_t count = 0;
        for (size_t at = 0; at < size; at++) {
            if (at && text[at - 1] != '\n')
                continue;
            FILE *f = fopen(path, "wb");
            assert_non_null(f);
            assert_int_equal(fwrite(text, 1, at, f), at);
            fclose(f);
            if (foreign && count++ > 10)
                break;
            assert_int_equal(at_tokenizer_open(in_folder("cut"), &t, &err), ATTEND_FORMAT);
            assert_says(&err, foreign ? "merges are missing" : "merges, and tokenizer_config.json");
        }
        unlink(config);
    }
    at_free(text);
    at_tokenizer_forget(in_folder("cut"));
    unlink(path);
    rmdir(in_folder("cut"));
}

/* as RoBERTa has them */
static void a_few_tokens_that_no_merge_makes_are_taken(void **state)
{
    (void)state;
    at_tokenizer *t;
    attend_error err;
    put_vocab("vocab.json", ", \"madeupword0000\": 257, \"madeupword0001\": 258");
    put("merges.txt", "a b\n");
    assert_int_equal(at_tokenizer_open(in_folder("vocab.json"), &t, &err), ATTEND_OK);
    at_tokenizer_free(t);
}

static void a_vocabulary_without_all_bytes_needs_an_unknown_token(void **state)
{
    (void)state;
    at_tokenizer *t;
    attend_error err;
    put("merges.txt", "a b\n");
    put("vocab.json", "{\"a\": 0, \"b\": 1, \"ab\": 2}");
    assert_int_equal(at_tokenizer_open(in_folder("vocab.json"), &t, &err), ATTEND_FORMAT);
    assert_says(&err, "the byte 0x00 has no piece");
    put("vocab.json", "{\"a\": 0, \"b\": 1, \"ab\": 2, \"<|endoftext|>\": 3}");
    assert_int_equal(at_tokenizer_open(in_folder("vocab.json"), &t, &err), ATTEND_OK);
    at_tokens p = encoded(t, "abx", 3);
    assert_int_equal(p.count, 2);
    assert_int_equal(p.item[1].id, 3);
    at_tokens_free(&p);
    at_tokenizer_free(t);
}

static void configuration_is_followed(void **state)
{
    (void)state;
    at_tokenizer *t;
    put_vocab("vocab.json", ", \"<end>\": 257, \"Ġa\": 258");
    put("merges.txt", "a b\nĠ a\n");
    put("tokenizer_config.json",
        "{\"add_prefix_space\": true, \"eos_token\": {\"content\": \"<end>\"}, "
        "\"split_special_tokens\": true}");
    assert_int_equal(at_tokenizer_open(in_folder("vocab.json"), &t, NULL), ATTEND_OK);
    assert_int_equal(t->special[ATTEND_SPECIAL_EOS], 257);
    at_tokens p = encoded(t, "a<end>", 6);
    assert_int_equal(p.item[0].id, 258);
    assert_int_equal(p.count, 6);
    at_tokens_free(&p);
    at_tokenizer_free(t);
    unlink(in_folder("tokenizer_config.json"));
}

static void other_kinds_of_tokenizer_json_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"{\"model\": {\"type\": \"BPE\"}}", "pre_tokenizer"},
        {"{\"model\": {\"type\": \"BPE\"}, \"pre_tokenizer\": {\"type\": \"Metaspace\"}}",
         "pre_tokenizer"},
        {"{\"model\": {\"type\": \"BPE\"}, \"normalizer\": {\"type\": \"NFC\"}, "
         "\"pre_tokenizer\": {\"type\": \"ByteLevel\"}}",
         "normalizer"},
        {"{\"model\": {\"type\": \"BPE\", \"byte_fallback\": true}, "
         "\"pre_tokenizer\": {\"type\": \"ByteLevel\"}}",
         "byte_fallback"},
        {"{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0}}, "
         "\"pre_tokenizer\": {\"type\": \"ByteLevel\"}}",
         "model.merges"},
        {"{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0}, \"merges\": [[\"a\"]]}, "
         "\"pre_tokenizer\": {\"type\": \"ByteLevel\"}}",
         "merge 1"},
        {"{\"model\": {\"type\": \"BPE\"}, \"pre_tokenizer\": {\"type\": \"ByteLevel\"}, "
         "\"added_tokens\": [{\"id\": 0, \"content\": \"<x>\", \"lstrip\": true}]}",
         "lstrip"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        at_tokenizer *t;
        attend_error err;
        put("tokenizer.json", cases[i].text);
        assert_int_equal(at_tokenizer_open(in_folder("tokenizer.json"), &t, &err), ATTEND_FORMAT);
        assert_says(&err, cases[i].says);
    }
    unlink(in_folder("tokenizer.json"));
}

/* ---- faults ----------------------------------------------------------------------------- */

static void memory_may_run_out_at_any_time(void **state)
{
    (void)state;
    at_tokenizer *t;
    char path[200];
    attend_error err;
    long live = at_alloc_live();
    put_vocab("vocab.json", ", \"<|endoftext|>\": 257");
    put("merges.txt", "a b\n");
    snprintf(path, sizeof path, "%s", in_folder("vocab.json"));
    attend_status status = ATTEND_MEMORY;
    for (long n = 0; status < 0; n += n < 60 ? 1 : 37) {
        at_alloc_fail_after(n);
        status = at_tokenizer_open(path, &t, &err);
        at_alloc_fail_after(-1);
        assert_true(status == ATTEND_OK || (status == ATTEND_MEMORY && !t));
        assert_true(status == ATTEND_OK || at_alloc_live() == live);
    }
    at_tokenizer_free(t);
    status = ATTEND_MEMORY;
    for (long n = 0; status < 0; n += n < 60 ? 1 : 17) {
        at_alloc_fail_after(n);
        status = learn(300, -1, &t, &err);
        at_alloc_fail_after(-1);
        assert_true(status == ATTEND_OK || (status == ATTEND_MEMORY && !t));
        assert_true(status == ATTEND_OK || at_alloc_live() == live);
    }
    at_tokenizer_free(t);
    assert_int_equal(at_alloc_live(), live);
}

static void saving_may_fail_and_leaves_nothing(void **state)
{
    (void)state;
    char path[200];
    attend_error err;
    long live = at_alloc_live();
    attend_status status = ATTEND_MEMORY;
    snprintf(path, sizeof path, "%s/faults", folder);
    for (long n = 0; status < 0; n += n < 60 ? 1 : 37) {
        at_alloc_fail_after(n);
        status = at_tokenizer_save(learned, path, &err);
        at_alloc_fail_after(-1);
        assert_true(status == ATTEND_OK || status == ATTEND_MEMORY);
        assert_int_equal(at_alloc_live(), live);
    }
    status = ATTEND_FILE;
    for (long n = 0; status < 0; n++) {
        at_file_fail_after(n, 28); /* no space */
        status = at_tokenizer_save(learned, path, &err);
        at_file_fail_after(-1, 0);
        assert_true(status == ATTEND_OK || status == ATTEND_FILE);
        assert_int_equal(at_alloc_live(), live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learning_merges_the_most_frequent_pairs),
        cmocka_unit_test(learning_is_the_same_every_time),
        cmocka_unit_test(learning_ends_where_no_pair_is_frequent),
        cmocka_unit_test(learning_refuses_sizes_without_room_for_bytes),
        cmocka_unit_test(any_bytes_come_back_with_their_places),
        cmocka_unit_test(invalid_bytes_are_counted),
        cmocka_unit_test(special_tokens_are_found_in_texts),
        cmocka_unit_test(a_blank_before_the_text_is_no_part_of_it),
        cmocka_unit_test(tokens_as_text_are_joined),
        cmocka_unit_test(threads_share_a_tokenizer),
        cmocka_unit_test(what_is_saved_is_opened),
        cmocka_unit_test(merges_may_have_a_version_and_foreign_line_ends),
        cmocka_unit_test(merges_that_were_cut_are_refused),
        cmocka_unit_test(a_few_tokens_that_no_merge_makes_are_taken),
        cmocka_unit_test(faults_in_files_are_told_with_their_place),
        cmocka_unit_test(a_vocabulary_without_all_bytes_needs_an_unknown_token),
        cmocka_unit_test(configuration_is_followed),
        cmocka_unit_test(other_kinds_of_tokenizer_json_are_refused),
        cmocka_unit_test(memory_may_run_out_at_any_time),
        cmocka_unit_test(saving_may_fail_and_leaves_nothing)};
    return cmocka_run_group_tests(tests, enter, leave);
}
