#include "text/sentencepiece.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"

static const char *const lines[] = {
    "The cat sat on the mat, and the rat sat on the cat.",
    "A hat on a cat is a hat on a mat; in 2019, 20 cats had 19, or 9, hats.",
    "The rat ate the hat, and the cat ate the rat.",
    "Käse für die Katze, Käse für die Ratte!",
    "Le café est très chaud; l'été aussi.",
    "She said ``no'' and left.",
};

static char folder[] = "/tmp/attend-spiece-......";
static at_tokenizer *unigram, *bpe;

typedef struct {
    const char *const *line;
    size_t count, at;
} source;

static int next_line(void *user, const char **text, size_t *size, attend_error *err)
{
    source *s = user;
    (void)err;
    if (s->at == s->count)
        return 0;
    *text = s->line[s->at++];
    *size = strlen(*text);
    return 1;
}

static attend_status learn_from(const char *const *line, size_t count, const char *model, int size,
                                double coverage, at_tokenizer **out, attend_error *err)
{
    source s = {line, count, 0};
    attend_learn_options o;
    attend_learn_defaults(&o);
    o.model = model;
    o.vocabulary = size;
    o.coverage = coverage;
    return at_tokenizer_learn("sentencepiece", (at_line_source){next_line, &s}, &o, out, err);
}

static attend_status learn(const char *model, int size, at_tokenizer **out)
{
    return learn_from(lines, sizeof lines / sizeof *lines, model, size, 1, out, NULL);
}

static int enter(void **state)
{
    (void)state;
    memset(folder + strlen(folder) - 6, 'X', 6); /* as mkdtemp wants it */
    return !mkdtemp(folder) || learn("unigram", 80, &unigram) < 0 || learn("bpe", 100, &bpe) < 0;
}

static int leave(void **state)
{
    char command[100];
    (void)state;
    at_tokenizer_free(unigram);
    at_tokenizer_free(bpe);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command) || at_alloc_live() != 0;
}

static void assert_says(const attend_error *err, const char *part)
{
    if (!strstr(err->message, part))
        fail_msg("\"%s\" does not say \"%s\"", err->message, part);
}

static at_tokens encoded(const at_tokenizer *t, const char *text)
{
    at_tokens p = {0};
    attend_error err;
    if (at_encode(t, text, strlen(text), &p, &err) < 0)
        fail_msg("%s", err.message);
    return p;
}

static void assert_decodes(const at_tokenizer *t, const at_tokens *p, const char *want)
{
    int32_t *ids = at_alloc((p->count + 1) * sizeof *ids);
    at_str out = {0};
    for (size_t i = 0; i < p->count; i++)
        ids[i] = p->item[i].id;
    assert_int_equal(at_decode(t, ids, p->count, ATTEND_DECODE_PLAIN, &out, NULL), ATTEND_OK);
    assert_string_equal(at_str_text(&out), want);
    at_str_free(&out);
    at_free(ids);
}

/* ---- learning --------------------------------------------------------------------------- */

static void special_tokens_come_first(void **state)
{
    (void)state;
    static const char *const first[] = {"<pad>", "<unk>", "<s>",   "</s>",
                                        "<cls>", "<sep>", "<mask>"};
    static const at_special which[] = {ATTEND_SPECIAL_PAD, ATTEND_SPECIAL_UNK, ATTEND_SPECIAL_BOS,
                                       ATTEND_SPECIAL_EOS, ATTEND_SPECIAL_CLS, ATTEND_SPECIAL_SEP,
                                       ATTEND_SPECIAL_MASK};
    at_tokenizer *const both[] = {unigram, bpe};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 7; i++) {
            assert_string_equal(at_vocab_text(both[k]->vocab, i, NULL), first[i]);
            assert_int_equal(both[k]->special[which[i]], i);
        }
    assert_int_equal(unigram->frame.each, 3);
}

static void learning_is_the_same_every_time(void **state)
{
    (void)state;
    at_tokenizer *again;
    assert_int_equal(learn("unigram", 80, &again), ATTEND_OK);
    const at_sentencepiece *a = (at_sentencepiece *)unigram, *b = (at_sentencepiece *)again;
    assert_int_equal(a->model_size, b->model_size);
    assert_memory_equal(a->model, b->model, a->model_size);
    at_tokenizer_free(again);
}

static void *learn_in_thread(void *out)
{
    return learn("unigram", 80, out) == ATTEND_OK ? out : NULL;
}

/* each has a child process of its own; one program lets the kernel reap children */
static void learning_works_in_several_threads(void **state)
{
    (void)state;
    enum { THREADS = 3 };
    pthread_t thread[THREADS];
    at_tokenizer *t[THREADS];
    void (*before)(int) = signal(SIGCHLD, SIG_IGN);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, learn_in_thread, &t[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        void *well;
        pthread_join(thread[i], &well);
        assert_non_null(well);
        assert_int_equal(at_tokenizer_size(t[i]), at_tokenizer_size(unigram));
        at_tokenizer_free(t[i]);
    }
    signal(SIGCHLD, before);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
    assert_int_equal(errno, ECHILD);
}

static void both_models_learn_to_their_size(void **state)
{
    (void)state;
    at_tokenizer *t;
    assert_in_range(at_tokenizer_size(unigram), 60, 80);
    assert_int_equal(at_tokenizer_size(bpe), 100);
    assert_int_equal(learn("bpe", 5000, &t), ATTEND_OK); /* more than there is */
    assert_in_range(at_tokenizer_size(t), 100, 400);
    at_tokenizer_free(t);
}

static void options_out_of_range_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *model;
        int size;
        double coverage;
        const char *says;
    } cases[] = {{"word", 100, 1, "\"unigram\" or \"bpe\""},
                 {"bpe", 10, 1, "not 10"},
                 {"bpe", 100, 0.5, "0.98 to 1"},
                 {"unigram", 20, 1, "a larger size"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        at_tokenizer *t;
        attend_error err;
        assert_int_equal(
            learn_from(lines, 6, cases[i].model, cases[i].size, cases[i].coverage, &t, &err),
            ATTEND_OPTION);
        assert_says(&err, cases[i].says);
        assert_null(t);
    }
}

static void nothing_to_learn_from_is_said(void **state)
{
    (void)state;
    static const char *const nothing[] = {"", "   ", "\t", "\u2581", "\uFFFD", "\u2585", "\x01"};
    at_tokenizer *t;
    attend_error err;
    for (size_t n = 0; n <= sizeof nothing / sizeof *nothing; n++) {
        assert_int_equal(learn_from(nothing, n, "unigram", 100, 1, &t, &err), ATTEND_FORMAT);
        assert_says(&err, "to learn from");
    }
}

static void long_lines_and_reserved_characters_teach_too(void **state)
{
    (void)state;
    enum { LONG = 20000 };
    char *line = at_alloc(LONG + 1);
    for (size_t i = 0; i < LONG; i++)
        line[i] = "word▅andword "[i % 15];
    line[LONG] = 0;
    const char *const one[] = {line};
    for (int k = 0; k < 2; k++) {
        at_tokenizer *t;
        attend_error err;
        if (learn_from(one, 1, "bpe", 60, 1, &t, &err) < 0)
            fail_msg("%s", err.message);
        assert_true(at_vocab_find(t->vocab, "\u2581word", 7) >= 0);
        assert_true(at_vocab_find(t->vocab, "▅", 3) < 0);
        at_tokenizer_free(t);
        for (size_t i = 0; i < LONG; i++) /* and without a place to cut */
            line[i] = line[i] == ' ' ? 'x' : line[i];
    }
    at_free(line);
}

/* ---- text ------------------------------------------------------------------------------- */

static void texts_come_back_with_their_places(void **state)
{
    (void)state;
    at_tokenizer *const both[] = {unigram, bpe};
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
            at_tokens p = encoded(both[k], lines[i]);
            size_t end = 0;
            for (size_t j = 0; j < p.count; j++) {
                assert_int_equal(p.item[j].begin, end);
                end = p.item[j].end;
            }
            assert_int_equal(end, strlen(lines[i]));
            assert_decodes(both[k], &p, lines[i]);
            at_tokens_free(&p);
        }
}

static void any_bytes_are_cut(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 300; seed++) {
        char text[100];
        at_tokens p = {0};
        for (size_t i = 0; i < sizeof text; i++)
            text[i] = (char)at_random_u32((at_random){.seed = seed}, (uint32_t)i);
        at_tokenizer *t = seed % 2 ? unigram : bpe;
        at_sentencepiece_follow(t, seed % 4 < 2 ? ATTEND_SPIECE_PLAIN : ATTEND_SPIECE_XLNET,
                                (at_spiece_cleaning){true, seed % 8 < 4, seed % 16 < 8});
        assert_int_equal(at_encode(t, text, sizeof text, &p, NULL), ATTEND_OK);
        for (size_t i = 0; i < p.count; i++) {
            assert_in_range(p.item[i].id, 0, at_tokenizer_size(t) - 1);
            assert_true(p.item[i].begin <= p.item[i].end && p.item[i].end <= sizeof text);
        }
        assert_true(p.invalid > 0);
        at_sentencepiece_follow(t, ATTEND_SPIECE_PLAIN, (at_spiece_cleaning){0});
        at_tokens_free(&p);
    }
}

static void what_is_unknown_has_its_place(void **state)
{
    (void)state;
    at_tokens p = encoded(unigram, "the 汤 cat");
    size_t unknown = 0;
    while (unknown < p.count && p.item[unknown].id != 1)
        unknown++;
    assert_true(unknown < p.count);
    assert_int_equal(p.item[unknown].begin, 4);
    assert_int_equal(p.item[unknown].end, 7);
    assert_int_equal(p.item[unknown].word, 1);
    assert_decodes(unigram, &p, "the  ⁇  cat");
    at_tokens_free(&p);
}

static void xlnet_cleans_and_frames(void **state)
{
    (void)state;
    at_tokens clean = encoded(unigram, "Le cafe \"no\" est"), p = {0};
    static const char text[] = "  Le \t café ``no'' est ";
    size_t second;
    at_sentencepiece_follow(unigram, ATTEND_SPIECE_XLNET, (at_spiece_cleaning){true, false, false});
    assert_int_equal(at_encode_framed(unigram, text, strlen(text), "a", 1, &p, &second, NULL),
                     ATTEND_OK);
    for (size_t i = 0; i < clean.count; i++)
        assert_int_equal(p.item[i].id, clean.item[i].id);
    assert_int_equal(p.item[clean.count].id, 5);
    assert_int_equal(second, clean.count + 1);
    assert_int_equal(p.item[p.count - 2].id, 5);
    assert_int_equal(p.item[p.count - 1].id, 4);
    assert_int_equal(p.item[clean.count - 1].end, strlen(text) - 1);
    at_sentencepiece_follow(unigram, ATTEND_SPIECE_PLAIN, (at_spiece_cleaning){0});
    at_tokens_free(&clean);
    at_tokens_free(&p);
}

static void albert_frames_on_both_sides_and_lowers(void **state)
{
    (void)state;
    at_tokens small = encoded(unigram, "the cat"), p = {0};
    at_sentencepiece_follow(unigram, ATTEND_SPIECE_ALBERT, (at_spiece_cleaning){true, false, true});
    assert_int_equal(at_encode_framed(unigram, "The CAT", 7, NULL, 0, &p, NULL, NULL), ATTEND_OK);
    assert_int_equal(p.count, small.count + 2);
    assert_int_equal(p.item[0].id, 4);
    assert_int_equal(p.item[1].id, small.item[0].id);
    assert_int_equal(p.item[p.count - 1].id, 5);
    at_sentencepiece_follow(unigram, ATTEND_SPIECE_PLAIN, (at_spiece_cleaning){0});
    at_tokens_free(&small);
    at_tokens_free(&p);
}

/* A model whose best cut of "9," is one piece, so that there is something to part. */
static void xlnet_parts_digits_from_commas(void **state)
{
    (void)state;
    static const char *const commas[] = {"9, 9, 9, 19, 19, 19, x9, x9, x9, 9, 9, 9, 19, 19, x9,",
                                         "9, 9, 9, 19, 19, 19, x9, x9, x9, 9, 9, 9, 19, 19, x9,"};
    at_tokenizer *t;
    attend_error err;
    if (learn_from(commas, 2, "bpe", 24, 1, &t, &err) < 0)
        fail_msg("%s", err.message);
    int32_t comma = at_vocab_find(t->vocab, ",", 1);
    at_tokens whole = encoded(t, "19, x9,");
    bool joined = false;
    for (size_t i = 0; i < whole.count; i++) {
        size_t size;
        const char *text = at_vocab_text(t->vocab, whole.item[i].id, &size);
        joined = joined || (size > 1 && text[size - 1] == ',');
    }
    assert_true(joined);
    at_sentencepiece_follow(t, ATTEND_SPIECE_XLNET, (at_spiece_cleaning){true, false, false});
    at_tokens p = encoded(t, "19,  x9,");
    int commas_alone = 0;
    for (size_t i = 0; i < p.count; i++) {
        size_t size;
        const char *text = at_vocab_text(t->vocab, p.item[i].id, &size);
        assert_false(size > 1 && text[size - 1] == ',');
        if (p.item[i].id != comma)
            continue;
        commas_alone++;
        assert_int_equal(p.item[i].end - p.item[i].begin, 1);
        assert_int_equal("19,  x9,"[p.item[i].begin], ',');
    }
    assert_int_equal(commas_alone, 2);
    at_tokens_free(&whole);
    at_tokens_free(&p);
    at_tokenizer_free(t);
}

static void *encode_all(void *arg)
{
    const size_t *want = arg;
    for (int round = 0; round < 50; round++)
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
            at_tokens p = {0};
            if (at_encode(unigram, lines[i], strlen(lines[i]), &p, NULL) < 0 || p.count != want[i])
                return "differs";
            at_tokens_free(&p);
        }
    return NULL;
}

static void threads_share_a_tokenizer(void **state)
{
    (void)state;
    pthread_t thread[4];
    size_t want[sizeof lines / sizeof *lines];
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        at_tokens p = encoded(unigram, lines[i]);
        want[i] = p.count;
        at_tokens_free(&p);
    }
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, encode_all, want), 0);
    for (int i = 0; i < 4; i++) {
        void *fault;
        pthread_join(thread[i], &fault);
        assert_null(fault);
    }
}

/* ---- files ------------------------------------------------------------------------------ */

static void what_is_saved_is_opened(void **state)
{
    (void)state;
    char path[200];
    at_tokenizer *t;
    attend_error err;
    for (int class = ATTEND_SPIECE_PLAIN; class <= ATTEND_SPIECE_ALBERT; class ++) {
        at_spiece_cleaning how = {class == ATTEND_SPIECE_XLNET, true,
                                  class == ATTEND_SPIECE_ALBERT};
        snprintf(path, sizeof path, "%s/class%d", folder, class);
        at_sentencepiece_follow(unigram, (at_spiece_class) class, how);
        assert_int_equal(at_tokenizer_save(unigram, path, NULL), ATTEND_OK);
        if (at_tokenizer_open(path, &t, &err) < 0)
            fail_msg("%s", err.message);
        const at_sentencepiece *s = (at_sentencepiece *)t;
        assert_int_equal(s->class, class);
        if (class != ATTEND_SPIECE_PLAIN) {
            assert_int_equal(s->cleaning.remove_space, how.remove_space);
            assert_int_equal(s->cleaning.keep_accents, how.keep_accents);
            assert_int_equal(s->cleaning.lower, how.lower);
        }
        assert_int_equal(s->model_size, ((at_sentencepiece *)unigram)->model_size);
        assert_memory_equal(s->model, ((at_sentencepiece *)unigram)->model, s->model_size);
        assert_memory_equal(&t->frame, &unigram->frame, sizeof t->frame);
        at_tokenizer_free(t);
    }
    at_sentencepiece_follow(unigram, ATTEND_SPIECE_PLAIN, (at_spiece_cleaning){0});
}

static void files_that_are_no_models_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"", "no model at all", "\x0A\xFF\xFF\xFF\x7F"};
    char path[200];
    snprintf(path, sizeof path, "%s/wrong.model", folder);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        at_tokenizer *t;
        attend_error err;
        FILE *f = fopen(path, "wb");
        assert_non_null(f);
        fputs(wrong[i], f);
        fclose(f);
        assert_int_equal(at_tokenizer_open(path, &t, &err), ATTEND_FORMAT);
        assert_says(&err, "wrong.model: ");
        assert_says(&err, "; get the file again");
        assert_null(t);
    }
}

static void memory_may_run_out_at_any_time(void **state)
{
    (void)state;
    char path[200];
    at_tokenizer *t = NULL;
    attend_error err;
    long live = at_alloc_live();
    snprintf(path, sizeof path, "%s/memory", folder);
    assert_int_equal(at_tokenizer_save(unigram, path, NULL), ATTEND_OK);
    attend_status status = ATTEND_MEMORY;
    for (long n = 0; status < 0; n++) {
        at_alloc_fail_after(n);
        status = at_tokenizer_open(path, &t, &err);
        at_alloc_fail_after(-1);
        assert_true(status == ATTEND_OK || (status == ATTEND_MEMORY && !t));
        assert_true(status == ATTEND_OK || at_alloc_live() == live);
    }
    at_sentencepiece_follow(t, ATTEND_SPIECE_XLNET, (at_spiece_cleaning){true, false, true});
    status = ATTEND_MEMORY;
    for (long n = 0; status < 0; n++) {
        at_tokens p = {0};
        at_alloc_fail_after(n);
        status = at_encode(t, lines[1], strlen(lines[1]), &p, &err);
        at_alloc_fail_after(-1);
        assert_true(status == ATTEND_OK || status == ATTEND_MEMORY);
        at_tokens_free(&p);
    }
    at_tokenizer_free(t);
    assert_int_equal(at_alloc_live(), live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_tokens_come_first),
        cmocka_unit_test(learning_is_the_same_every_time),
        cmocka_unit_test(learning_works_in_several_threads),
        cmocka_unit_test(both_models_learn_to_their_size),
        cmocka_unit_test(options_out_of_range_are_refused),
        cmocka_unit_test(nothing_to_learn_from_is_said),
        cmocka_unit_test(long_lines_and_reserved_characters_teach_too),
        cmocka_unit_test(texts_come_back_with_their_places),
        cmocka_unit_test(any_bytes_are_cut),
        cmocka_unit_test(what_is_unknown_has_its_place),
        cmocka_unit_test(xlnet_cleans_and_frames),
        cmocka_unit_test(albert_frames_on_both_sides_and_lowers),
        cmocka_unit_test(xlnet_parts_digits_from_commas),
        cmocka_unit_test(threads_share_a_tokenizer),
        cmocka_unit_test(what_is_saved_is_opened),
        cmocka_unit_test(files_that_are_no_models_are_refused),
        cmocka_unit_test(memory_may_run_out_at_any_time)};
    return cmocka_run_group_tests(tests, enter, leave);
}
