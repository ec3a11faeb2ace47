/* Tokenizers: from text to numbered pieces and back.
 *
 *     at_tokenizer *t;
 *     at_tokenizer_open("model", &t, err);              a folder or a file; or at_tokenizer_learn
 *     at_tokens p = {0};
 *     at_encode(t, text, size, &p, err);                 p.item[i].id, .begin, .end, .word
 *     at_decode(t, ids, count, ATTEND_DECODE_PLAIN, &out, err);
 *     at_tokens_free(&p);
 *     at_tokenizer_free(t);
 *
 * A kind of tokenizer is one file tokenizer_NAME.c with one const at_tokenizer_kind, and one line
 * in tokenizers.def. Everything but learning, loading and freeing is safe on one tokenizer from
 * several threads at once.
 *
 * Any bytes can be encoded. A byte that is no part of UTF-8 is taken as U+FFFD (the byte-level
 * kinds keep it as it is), and counted either way: at_tokens.invalid. */
#ifndef ATTEND_TEXT_TOKENIZER_H
#define ATTEND_TEXT_TOKENIZER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "attend.h"
#include "base/error.h"
#include "base/str.h"
#include "text/added_tokens.h"
#include "text/vocab.h"

typedef attend_tokenizer at_tokenizer;
typedef struct at_tokenizer_kind at_tokenizer_kind;

/* ---- pieces ----------------------------------------------------------------------------- */

/* A piece is the bytes [begin,end) of the text; one that stands for nothing in it, such as [CLS],
 * has begin == end and no word. Pieces come in the order of the text and may leave out bytes
 * (blanks, control characters); two may share bytes where one character made several. */
typedef attend_token at_token;

enum { ATTEND_TEXT_MAX = 1u << 30 }; /* bytes of one text */

/* Grows; start with {0}. Failure is sticky, as in at_str. */
typedef struct {
    at_token *item;
    size_t count, capacity;
    size_t invalid; /* bytes that were no UTF-8 */
    bool failed;    /* memory ran out: nothing is added any more */
} at_tokens;

void at_tokens_add(at_tokens *p, int32_t id, size_t begin, size_t end);
void at_tokens_clear(at_tokens *p); /* empty again; keeps the memory */
void at_tokens_free(at_tokens *p);

/* begin and end from bytes to characters of the same text, an invalid byte counted as one */
void at_tokens_in_characters(at_tokens *p, const char *text, size_t size);

/* Numbers the words of pieces from index first on: a piece belongs to the word of its first byte
 * that is no white space (Unicode's White_Space), or where all of it is, to the word after it.
 * at_encode does it. Returns how many words the text has. */
uint32_t at_tokens_number_words(at_tokens *p, size_t first, const char *text, size_t size);

/* ---- special pieces --------------------------------------------------------------------- */

typedef enum {
    ATTEND_SPECIAL_PAD,
    ATTEND_SPECIAL_UNK,
    ATTEND_SPECIAL_BOS, /* begins what is written */
    ATTEND_SPECIAL_EOS, /* ends it */
    ATTEND_SPECIAL_CLS,
    ATTEND_SPECIAL_SEP,
    ATTEND_SPECIAL_MASK,
    ATTEND_SPECIALS
} at_special;

/* "pad_token", "unk_token", ...: Hugging Face's names, in the order above */
extern const char *const at_special_names[ATTEND_SPECIALS];

/* What surrounds texts in a model's input: before A each after, or before A each between B each
 * after. -1: nothing.
 * BERT: [CLS] A [SEP] B [SEP]; RoBERTa: <s> A </s> </s> B </s>;
 * XLNet: A <sep> B <sep> <cls>; words: A <eos>; GPT-2: A. */
typedef struct {
    int32_t before, each, after, between;
} at_frame;

/* ---- a tokenizer ------------------------------------------------------------------------ */

/* The part that all kinds share: a kind's own struct has it as its first member. */
struct attend_tokenizer {
    const at_tokenizer_kind *kind;
    at_vocab *vocab;                  /* id <-> text of every piece, specials included */
    int32_t special[ATTEND_SPECIALS]; /* ids; -1 where there is none */
    at_frame frame;
    at_added_tokens
        added; /* found in the text as they are written; empty in kinds that find none */
};

int32_t at_tokenizer_size(const at_tokenizer *t); /* ids are 0 to size - 1 */

/* What fills up the lines of a batch: the piece for it, else one that is there; it is masked. */
int32_t at_tokenizer_pad(const at_tokenizer *t);

/* One of special[], or an added piece that is called special. */
bool at_tokenizer_is_special(const at_tokenizer *t, int32_t id);

/* Does it show in plain text? Special tokens do not, but for the unknown one of most kinds. */
bool at_tokenizer_shows(const at_tokenizer *t, int32_t id);

/* Adds the pieces of a text to out; word counts from 0 in every call. */
attend_status at_encode(const at_tokenizer *t, const char *text, size_t size, at_tokens *out,
                        attend_error *err);

/* The same with the frame around it, and a second text unless b is NULL. Offsets of a piece are
 * those in its own text; *second receives the index of the first piece of b. */
attend_status at_encode_framed(const at_tokenizer *t, const char *a, size_t a_size, const char *b,
                               size_t b_size, at_tokens *out, size_t *second, attend_error *err);

/* Appends the pieces of a text, with their offsets in bytes, as the vocabulary writes them; unknown
 * ones as it would, so that at_join gives the text back. end[i] receives where the i-th ends in
 * out, which starts empty. */
void at_spell(const at_tokenizer *t, const char *text, size_t size, const at_tokens *p, at_str *out,
              size_t *end);

/* the text of a piece, as in at_vocab_text */
typedef struct {
    const char *text;
    size_t size;
} at_text;

static inline at_text at_text_of(const char *text) { return (at_text){text, strlen(text)}; }

typedef enum {
    ATTEND_DECODE_PLAIN,  /* special pieces leave no trace; unknown ones show as their text */
    ATTEND_DECODE_SPECIAL /* they show as their text too */
} at_decoding;

/* Appends the text of ids; an id that is out of range is an error. */
attend_status at_decode(const at_tokenizer *t, const int32_t *ids, size_t count, at_decoding how,
                        at_str *out, attend_error *err);

/* The same from pieces as text, which need not be in the vocabulary. */
attend_status at_join(const at_tokenizer *t, const at_text *tokens, size_t count, at_str *out,
                      attend_error *err);

void at_tokenizer_free(at_tokenizer *t); /* NULL is well */

/* ---- files ------------------------------------------------------------------------------ */

/* The names that files of tokenizers can have, up to a NULL. Those that are saved are listed with
 * their checksums beside them (base/checksum_list.h), and verified when they are opened. */
extern const char *const at_tokenizer_files[];

/* Opens what a folder or a file has: our own tokenizer.json; spiece.model; vocab.json and
 * merges.txt; vocab.txt; Hugging Face's tokenizer.json; with tokenizer_config.json beside them
 * where it says more. The error names the files that were looked for. */
attend_status at_tokenizer_open(const char *path, at_tokenizer **out, attend_error *err);

/* From a tokenizer.json that was read; file stands for it in messages. */
attend_status at_tokenizer_read(const json_t *root, const char *file, at_tokenizer **out,
                                attend_error *err);

/* Writes the kind's files into a folder, which is made where it is missing; each file whole or
 * not at all. Files of another kind that the folder is known by go: it holds one tokenizer. */
attend_status at_tokenizer_save(const at_tokenizer *t, const char *folder, attend_error *err);

/* Are its pieces the words between blanks, as they stand? */
bool at_tokenizer_by_blanks(const at_tokenizer *t);

/* How it cuts text into words, for a log: what the text is, then what follows; NULL if it is not of
 * the kind words. */
const char *at_tokenizer_cutting(const at_tokenizer *t);

/* Removes the files that a folder is known by, and the folder where nothing else is in it. */
void at_tokenizer_forget(const char *folder);

/* ---- learning --------------------------------------------------------------------------- */

/* Lines of text, without their ends. next gives one that is borrowed until it is called again and
 * returns 1; 0 at the end; a negative attend_status, with err filled, to give up. */
typedef struct {
    int (*next)(void *user, const char **text, size_t *size, attend_error *err);
    void *user;
} at_line_source;

/* which of the attend_learn_options a kind takes */
enum {
    ATTEND_LEARN_SIZE = 1,
    ATTEND_LEARN_MIN_COUNT = 2,
    ATTEND_LEARN_LOWER = 4,
    ATTEND_LEARN_STRIP_ACCENTS = 8,
    ATTEND_LEARN_SPLIT_CHINESE = 16,
    ATTEND_LEARN_PRETOKENISED = 32,
    ATTEND_LEARN_ALPHABET = 64,
    ATTEND_LEARN_COVERAGE = 128,
    ATTEND_LEARN_MODEL = 256,
};

/* Makes a tokenizer of that kind ("wordpiece") from text. The same lines and options give the
 * same vocabulary, id for id. options may be NULL. */
attend_status at_tokenizer_learn(const char *kind, at_line_source lines,
                                 const attend_learn_options *options, at_tokenizer **out,
                                 attend_error *err);

/* ---- kinds ------------------------------------------------------------------------------ */

struct at_tokenizer_kind {
    const char *name;         /* "wordpiece" */
    const char *what;         /* how it cuts text, in a line */
    const char *source;       /* the paper, or NULL */
    const char *files;        /* what it is kept in: "vocab.txt, tokenizer.json" */
    const char *const *found; /* names, up to a NULL, by which a folder is known to hold one */
    const char *const *ends;  /* ends of file names, up to a NULL, likewise: ".model" */
    const char *model;        /* "model": {"type": ...} in tokenizer.json, or NULL: it has none */
    unsigned learns;          /* ATTEND_LEARN_...; 0: it cannot be learned */
    bool drops_unknown;       /* unknown tokens leave no trace in plain text, as other specials */

    attend_status (*learn)(at_line_source lines, const attend_learn_options *o, at_tokenizer **out,
                           attend_error *err);

    /* From the file that was found by name; others lie beside it. May be NULL. */
    attend_status (*load)(const char *path, at_tokenizer **out, attend_error *err);

    /* From tokenizer.json, and into it (a new object, or NULL without memory). May be NULL. */
    attend_status (*read)(const json_t *root, const char *file, at_tokenizer **out,
                          attend_error *err);
    json_t *(*write)(const at_tokenizer *t);

    /* Other files than tokenizer.json. May be NULL. */
    attend_status (*save)(const at_tokenizer *t, const char *folder, attend_error *err);

    /* With at_tokens_add; at_encode looks at out->failed and numbers the words. size is at most
     * ATTEND_TEXT_MAX. */
    attend_status (*encode)(const at_tokenizer *t, const char *text, size_t size, at_tokens *out,
                            attend_error *err);
    attend_status (*join)(const at_tokenizer *t, const at_text *tokens, size_t count, at_str *out,
                          attend_error *err);

    /* Is asked by at_spell about texts with unknown pieces. NULL: they are as in the text. */
    void (*spell)(const at_tokenizer *t, const char *text, size_t size, const at_tokens *p,
                  at_str *out, size_t *end);
    void (*free)(at_tokenizer *t); /* its own members alone, and t; not the vocabulary */
};

#define TOKENIZER(name) extern const at_tokenizer_kind at_tokenizer_kind_##name;
#include "text/tokenizers.def"
#undef TOKENIZER

extern const at_tokenizer_kind *const at_tokenizer_kinds[];
extern const int at_tokenizer_kind_count;

const at_tokenizer_kind *at_tokenizer_kind_find(const char *name);          /* or NULL */
attend_status at_tokenizer_kind_check(const char *name, attend_error *err); /* is there one? */

/* ---- for the kinds ---------------------------------------------------------------------- */

/* Appends the text of a piece, unless it is the unknown one and stands for something: false. */
bool at_spell_known(const at_tokenizer *t, const at_token *p, at_str *out);

/* Zeroed memory of `bytes`, an empty vocabulary, no specials, no frame; NULL without memory. */
void *at_tokenizer_new(const at_tokenizer_kind *kind, size_t bytes);

/* Gives t to *out, or releases it where status is a failure; returns status. */
attend_status at_tokenizer_hand_out(at_tokenizer *t, attend_status status, at_tokenizer **out);

/* Adds a special piece of that text to the vocabulary (or finds it there); false without memory. */
bool at_tokenizer_add_special(at_tokenizer *t, at_special which, const char *text);

/* <pad>, <unk>, <bos> and <eos>, as our own kinds have them, and <eos> after each text: added to
 * the vocabulary (false without memory), or looked for in it. */
bool at_tokenizer_add_plain(at_tokenizer *t);
attend_status at_tokenizer_find_plain(at_tokenizer *t, const char *file, attend_error *err);

/* Puts the special pieces into t->added, for a kind that finds them in texts; false without memory.
 */
bool at_tokenizer_mark_specials(at_tokenizer *t);

/* ids of the special pieces from their texts, as Hugging Face writes them:
 * {"unk_token": "[UNK]", "mask_token": {"content": "[MASK]", ...}}; one that is not in the
 * vocabulary or null is no special. Other keys, and keys that are missing, change nothing. */
void at_tokenizer_specials_from(at_tokenizer *t, const json_t *object);

/* Those of tokenizer_config.json in the folder of the file at path, for a loader that was given
 * vocab.txt or the like: *config is NULL where there is none; json_decref it. */
attend_status at_tokenizer_config_beside(const char *path, json_t **config, attend_error *err);

/* Writes {"tokenizer_class": CLASS, more...} with the special pieces as tokenizer_config.json into
 * the folder; more may be NULL and is taken over. */
attend_status at_tokenizer_config_save(const at_tokenizer *t, const char *folder,
                                       const char *class_name, json_t *more, attend_error *err);

#endif
