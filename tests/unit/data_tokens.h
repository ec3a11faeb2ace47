/* A small tokenizer and encoded corpora for tests of batches: pieces are the letters of a word two
 * by two, "hello" -> he ll o, with BERT's special pieces and frame. */
#ifndef ATTEND_TESTS_DATA_TOKENS_H
#define ATTEND_TESTS_DATA_TOKENS_H

#include "data/batch.h"
#include "data_help.h"

static inline attend_status toy_encode(const at_tokenizer *t, const char *text, size_t size,
                                       at_tokens *out, attend_error *err)
{
    (void)err;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == ' ')
            continue;
        size_t count = i + 1 < size && text[i + 1] != ' ' ? 2 : 1;
        int32_t id = at_vocab_find(t->vocab, text + i, count);
        at_tokens_add(out, id < 0 ? t->special[ATTEND_SPECIAL_UNK] : id, i, i + count);
        i += count - 1;
    }
    return ATTEND_OK;
}

static inline void toy_free(at_tokenizer *t) { at_free(t); }

static const at_tokenizer_kind toy_kind = {.name = "toy", .encode = toy_encode, .free = toy_free};

enum { TOY_PAD, TOY_UNK, TOY_BOS, TOY_EOS, TOY_CLS, TOY_SEP, TOY_MASK, TOY_FIRST };

/* knows a to z and all pairs of them */
static inline at_tokenizer *toy_tokenizer(void)
{
    static const char *const names[] = {"[PAD]", "[UNK]", "[BOS]", "[EOS]",
                                        "[CLS]", "[SEP]", "[MASK]"};
    at_tokenizer *t = at_tokenizer_new(&toy_kind, sizeof *t);
    assert_non_null(t);
    for (int i = 0; i < ATTEND_SPECIALS; i++)
        assert_true(at_tokenizer_add_special(t, (at_special)i, names[i]));
    for (char a = 'a'; a <= 'z'; a++) {
        at_vocab_add(t->vocab, &a, 1);
        for (char b = 'a'; b <= 'z'; b++)
            at_vocab_add(t->vocab, (char[]){a, b}, 2);
    }
    t->frame = (at_frame){TOY_CLS, TOY_SEP, -1, -1};
    return t;
}

static inline at_corpus *corpus_of(const char *text, const char *format)
{
    at_corpus *c;
    at_example_reader *r;
    attend_error err;
    at_read_options options = {.format = format};
    assert_int_equal(at_corpus_new(0, &c, &err), ATTEND_OK);
    assert_int_equal(at_examples_start(bytes_of(text, strlen(text)), NULL, &options, &r, &err),
                     ATTEND_OK);
    if (at_corpus_read(c, r, &err) < 0)
        fail_msg("%s", err.message);
    at_examples_close(r);
    assert_int_equal(at_corpus_close(c, &err), ATTEND_OK);
    return c;
}

static inline at_encoded *encoded_of(const char *text, const char *format,
                                     const at_encode_options *options)
{
    at_encoded *e;
    attend_error err;
    at_corpus *c = corpus_of(text, format);
    if (at_encode_corpus(c, options, &e, &err) < 0)
        fail_msg("%s", err.message);
    at_corpus_free(c);
    return e;
}

/* random words of random length, the same for a seed; words sentences have 1 to most words */
static inline void random_words(at_str *out, uint32_t *seed, int most)
{
    int words = 1 + (int)((*seed = *seed * 1664525 + 1013904223) >> 16) % most;
    for (int i = 0; i < words; i++) {
        int letters = 1 + (int)((*seed = *seed * 1664525 + 1013904223) >> 16) % 6;
        at_str_add(out, i ? " " : "");
        for (int k = 0; k < letters; k++) {
            *seed = *seed * 1664525 + 1013904223;
            at_str_print(out, "%c", 'a' + (int)(*seed >> 16) % 26);
        }
    }
}

/* count pairs whose sides have about the same length */
static inline void random_pairs(at_str *out, int count, int most)
{
    uint32_t seed = 2017;
    for (int i = 0; i < count; i++) {
        random_words(out, &seed, most);
        at_str_add(out, "\t");
        random_words(out, &seed, most);
        at_str_add(out, "\n");
    }
}

/* a batch as text: "[4 7 8 5|4 9 5 0]" for ids, rows between bars */
static inline void show_block(at_str *out, const at_block *b)
{
    for (int i = 0; i < b->B; i++)
        for (int k = 0; k < b->T; k++)
            at_str_print(out, "%s%d", k ? " " : i ? "|" : "[", b->ids[i * b->T + k]);
    at_str_add(out, "]");
}

static inline void show_batch(at_str *out, const at_batch *b)
{
    at_str_print(out, "%u.%zu#%u ", b->epoch, b->index, b->step);
    show_block(out, &b->source);
    if (b->target.T)
        show_block(out, &b->target);
    for (int i = 0; b->labels && i < b->source.B; i++)
        at_str_print(out, "%s%d", i ? "," : " l", b->labels[i]);
    for (int i = 0; b->copied && i < b->source.B * b->source.T; i++)
        at_str_print(out, "%s%d", i ? "," : " c", b->copied[i]);
    for (int i = 0; b->copied && i < b->source.B; i++)
        at_str_print(out, "%s%d", i ? "," : " x", b->extra[i]);
    for (int i = 0; b->segments && i < b->source.B * b->source.T; i++)
        at_str_print(out, "%s%d", i ? "" : " s", b->segments[i]);
    at_str_add(out, "\n");
}

#endif
