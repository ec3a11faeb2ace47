/* SentencePiece: pieces of a text that is taken as it comes, blanks included (Kudo and Richardson
 * 2018); unigram (Kudo 2018) and byte-pair models. The work is done by its own library, so that
 * pieces are the reference's, one by one. */
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "text/sentencepiece.h"
#include "text/spiece_check.h"
#include "text/unicode.h"

enum { LARGEST = 1 << 28 }; /* bytes of a model */

/* ---- life ------------------------------------------------------------------------------- */

static void free_sentencepiece(at_tokenizer *t)
{
    at_sentencepiece *s = (at_sentencepiece *)t;
    at_spiece_free(s->spiece);
    at_free(s->model);
    at_free(s);
}

static int32_t find_token(const at_tokenizer *t, const char *text)
{
    return at_vocab_find(t->vocab, text, strlen(text));
}

static void find_specials(at_sentencepiece *s)
{
    static const struct {
        at_special which;
        const char *text[2];
    } others[] = {{ATTEND_SPECIAL_CLS, {"<cls>", "[CLS]"}},
                  {ATTEND_SPECIAL_SEP, {"<sep>", "[SEP]"}},
                  {ATTEND_SPECIAL_MASK, {"<mask>", "[MASK]"}}};
    int32_t *special = s->base.special;
    special[ATTEND_SPECIAL_UNK] = at_spiece_unk(s->spiece);
    special[ATTEND_SPECIAL_BOS] = at_spiece_bos(s->spiece);
    special[ATTEND_SPECIAL_EOS] = at_spiece_eos(s->spiece);
    special[ATTEND_SPECIAL_PAD] = at_spiece_pad(s->spiece);
    if (special[ATTEND_SPECIAL_PAD] < 0)
        special[ATTEND_SPECIAL_PAD] = find_token(&s->base, "<pad>");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        for (int k = 1; k >= 0; k--) {
            int32_t id = find_token(&s->base, others[i].text[k]);
            if (id >= 0)
                special[others[i].which] = id;
        }
}

static attend_status fill_vocab(at_sentencepiece *s, attend_error *err)
{
    for (int id = 0; id < at_spiece_size(s->spiece); id++) {
        size_t size;
        const char *text = at_spiece_text(s->spiece, id, &size);
        if (at_vocab_append(s->base.vocab, text, size) < 0)
            return at_error_memory(err);
    }
    return ATTEND_OK;
}

attend_status at_sentencepiece_new(char *model, size_t size, const char *file,
                                   at_sentencepiece **out, attend_error *err)
{
    at_sentencepiece *s = at_tokenizer_new(&at_tokenizer_kind_sentencepiece, sizeof *s);
    *out = NULL;
    if (!s) {
        at_free(model);
        return at_error_memory(err);
    }
    s->model = model;
    s->model_size = size;
    attend_status status = at_spiece_check(model, size, file, err);
    if (status >= 0 && (status = at_spiece_load(model, size, file, &s->spiece, err)) >= 0)
        status = fill_vocab(s, err);
    if (status < 0) {
        at_tokenizer_free(&s->base);
        return status;
    }
    find_specials(s);
    at_sentencepiece_follow(&s->base, ATTEND_SPIECE_PLAIN, (at_spiece_cleaning){0});
    *out = s;
    return ATTEND_OK;
}

void at_sentencepiece_follow(at_tokenizer *t, at_spiece_class class, at_spiece_cleaning cleaning)
{
    at_sentencepiece *s = (at_sentencepiece *)t;
    int32_t unknown = t->special[ATTEND_SPECIAL_UNK], cls = t->special[ATTEND_SPECIAL_CLS],
            sep = t->special[ATTEND_SPECIAL_SEP];
    cls = cls < 0 ? unknown : cls;
    sep = sep < 0 ? unknown : sep;
    s->class = class;
    s->cleaning = cleaning;
    if (class == ATTEND_SPIECE_XLNET)
        t->frame = (at_frame){-1, sep, cls, -1};
    else if (class == ATTEND_SPIECE_ALBERT)
        t->frame = (at_frame){cls, sep, -1, -1};
    else
        t->frame = (at_frame){-1, t->special[ATTEND_SPECIAL_EOS], -1, -1};
}

/* ---- files ------------------------------------------------------------------------------ */

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* What tokenizer_config.json says, where there is one. */
static attend_status configure(at_tokenizer *t, const json_t *config, const char *path,
                               attend_error *err)
{
    if (!config)
        return ATTEND_OK;
    at_tokenizer_specials_from(t, config);
    at_fields f = at_fields_of(config, path, err);
    const char *name = at_field_string(&f, "tokenizer_class", "");
    bool albert = starts_with(name, "Albert"), xlnet = starts_with(name, "XLNet");
    if (*name && !albert && !xlnet && !starts_with(name, "T5"))
        at_log(ATTEND_LOG_WARNING,
               "tokenizer_class %s: what it does to a model's pieces and ids is not followed",
               at_show(name).text);
    at_spiece_cleaning cleaning = {at_field_bool(&f, "remove_space", true),
                                   at_field_bool(&f, "keep_accents", false),
                                   at_field_bool(&f, "do_lower_case", albert)};
    if (f.status >= 0)
        at_sentencepiece_follow(t,
                                albert  ? ATTEND_SPIECE_ALBERT
                                : xlnet ? ATTEND_SPIECE_XLNET
                                        : ATTEND_SPIECE_PLAIN,
                                cleaning);
    return f.status;
}

static attend_status load(const char *path, at_tokenizer **out, attend_error *err)
{
    char *model;
    size_t size;
    at_sentencepiece *s;
    json_t *config;
    *out = NULL;
    attend_status status = at_file_read(path, LARGEST, &model, &size, err);
    if (status >= 0)
        status = at_sentencepiece_new(model, size, at_show(path).text, &s, err);
    if (status < 0)
        return status;
    status = at_tokenizer_config_beside(path, &config, err);
    if (status >= 0)
        status = configure(&s->base, config, "tokenizer_config.json", err);
    json_decref(config);
    if (status < 0)
        at_tokenizer_free(&s->base);
    else
        *out = &s->base;
    return status;
}

static attend_status save_config(const at_sentencepiece *s, const char *folder, attend_error *err)
{
    static const char *const names[] = {"", "XLNetTokenizer", "AlbertTokenizer"};
    json_t *more = json_pack("{s:b, s:b, s:b}", "remove_space", (int)s->cleaning.remove_space,
                             "keep_accents", (int)s->cleaning.keep_accents, "do_lower_case",
                             (int)s->cleaning.lower);
    if (!more)
        return at_error_memory(err);
    return at_tokenizer_config_save(&s->base, folder, names[s->class], more, err);
}

static attend_status save(const at_tokenizer *t, const char *folder, attend_error *err)
{
    const at_sentencepiece *s = (const at_sentencepiece *)t;
    char *path = at_file_join(folder, "spiece.model");
    at_writer *w;
    attend_status status = path ? at_writer_open(&w, path, err) : at_error_memory(err);
    at_free(path);
    if (status < 0)
        return status;
    at_writer_write(w, s->model, s->model_size);
    status = at_writer_commit(w, err);
    at_json_start();
    if (status >= 0 && s->class != ATTEND_SPIECE_PLAIN)
        status = save_config(s, folder, err);
    return status;
}

/* ---- encoding --------------------------------------------------------------------------- */

typedef struct {
    const at_sentencepiece *s;
    const at_clean_text *clean;
    at_tokens *out;
    attend_status status;
    attend_error *err;
} encoder;

static void take_token(void *user, const at_spiece_token *p)
{
    encoder *e = user;
    at_tokens_add(e->out, p->id, p->begin, p->end);
}

static void add_clean(encoder *e, int id, size_t begin, size_t end)
{
    at_clean_text_span(e->clean, &begin, &end);
    at_tokens_add(e->out, id, begin, end);
}

/* Digits that are no decimal ones, but digits for Python: ², ①. */
static bool is_other_digit(uint32_t code)
{
    static const uint32_t ranges[][2] = {
        {0xB2, 0xB3},       {0xB9, 0xB9},       {0x1369, 0x1371},   {0x19DA, 0x19DA},
        {0x2070, 0x2070},   {0x2074, 0x2079},   {0x2080, 0x2089},   {0x2460, 0x2468},
        {0x2474, 0x247C},   {0x2488, 0x2490},   {0x24EA, 0x24EA},   {0x24F5, 0x24FD},
        {0x24FF, 0x24FF},   {0x2776, 0x277E},   {0x2780, 0x2788},   {0x278A, 0x2792},
        {0x10A40, 0x10A43}, {0x10E60, 0x10E68}, {0x11052, 0x1105A}, {0x1F100, 0x1F10A}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1])
            return true;
    return false;
}

/* the start of the last character before end, in valid UTF-8 */
static size_t character_before(const char *text, size_t end)
{
    for (end--; end > 0 && ((unsigned char)text[end] & 0xC0) == 0x80;)
        end--;
    return end;
}

static bool ends_in_digit_and_comma(const char *text, size_t size)
{
    uint32_t code;
    if (size < 2 || text[size - 1] != ',')
        return false;
    size_t at = character_before(text, size - 1);
    at_utf8_get(text + at, size - 1 - at, &code);
    return at_is_digit(code) || is_other_digit(code);
}

static const char blank[] = "\xE2\x96\x81"; /* ▁, as pieces have it */

/* a piece without its comma, cut again as a text of its own */
typedef struct {
    encoder *e;
    size_t begin, end; /* of the piece without the comma, in the clean text */
    size_t start;      /* where the text of its own begins there */
    bool inside;       /* the piece did not start with a blank, so its parts do not either */
    int count;
} again;

static void take_again(void *user, const at_spiece_token *p)
{
    again *a = user;
    size_t begin = a->start + p->begin, end = a->start + p->end;
    int id = p->id;
    if (a->count++ == 0 && a->inside && p->size >= 3 && memcmp(p->text, blank, 3) == 0) {
        if (p->size == 3)
            return;
        id = at_spiece_find(a->e->s->spiece, p->text + 3, p->size - 3);
    }
    add_clean(a->e, id, begin < a->begin ? a->begin : begin, end > a->end ? a->end : end);
}

/* "▁1,000," is cut into the pieces of "1,000", and ",". */
static void cut_comma(encoder *e, const at_spiece_token *p)
{
    at_str word = {0};
    size_t comma = p->end > p->begin ? character_before(e->clean->text.text, p->end) : p->end;
    for (size_t i = 0; i + 1 < p->size; i++) {
        if (i + 3 < p->size && memcmp(p->text + i, blank, 3) == 0)
            i += 2;
        else
            at_str_add_bytes(&word, p->text + i, 1);
    }
    again a = {.e = e,
               .begin = p->begin,
               .end = comma,
               .start = comma - p->begin >= word.length ? comma - word.length : p->begin,
               .inside = p->size < 3 || memcmp(p->text, blank, 3) != 0};
    if (word.failed)
        e->status = at_error_memory(e->err);
    else
        e->status = at_spiece_encode(e->s->spiece, at_str_text(&word), word.length, take_again, &a,
                                     e->err);
    add_clean(e, at_spiece_find(e->s->spiece, ",", 1), comma, p->end);
    at_str_free(&word);
}

static void take_clean(void *user, const at_spiece_token *p)
{
    encoder *e = user;
    if (e->status < 0)
        return;
    if (ends_in_digit_and_comma(p->text, p->size))
        cut_comma(e, p);
    else
        add_clean(e, p->id, p->begin, p->end);
}

static attend_status encode_clean(const at_sentencepiece *s, const char *text, size_t size,
                                  at_tokens *out, attend_error *err)
{
    at_clean_text clean = {0};
    encoder e = {.s = s, .clean = &clean, .out = out, .err = err};
    attend_status status;
    if (at_spiece_clean(&s->cleaning, text, size, &clean))
        status = at_spiece_encode(s->spiece, at_str_text(&clean.text), clean.text.length,
                                  take_clean, &e, err);
    else
        status = at_error_memory(err);
    at_clean_text_free(&clean);
    return status < 0 ? status : e.status;
}

static attend_status encode(const at_tokenizer *t, const char *text, size_t size, at_tokens *out,
                            attend_error *err)
{
    const at_sentencepiece *s = (const at_sentencepiece *)t;
    encoder e = {.s = s, .out = out};
    out->invalid += at_utf8_count_invalid(text, size);
    if (s->class != ATTEND_SPIECE_PLAIN)
        return encode_clean(s, text, size, out, err);
    return at_spiece_encode(s->spiece, text, size, take_token, &e, err);
}

/* ---- decoding --------------------------------------------------------------------------- */

static attend_status join(const at_tokenizer *t, const at_text *tokens, size_t count, at_str *out,
                          attend_error *err)
{
    const at_sentencepiece *s = (const at_sentencepiece *)t;
    const char **text = at_alloc((count + 1) * sizeof *text);
    size_t *size = at_alloc((count + 1) * sizeof *size);
    attend_status status = text && size ? ATTEND_OK : at_error_memory(err);
    for (size_t i = 0; i < count && status >= 0; i++) {
        text[i] = tokens[i].text;
        size[i] = tokens[i].size;
    }
    if (status >= 0)
        status = at_spiece_decode(s->spiece, text, size, count, out, err);
    at_free(text);
    at_free(size);
    return status;
}

static const char *const found[] = {"spiece.model", "sentencepiece.model", "tokenizer.model", NULL};
static const char *const ends[] = {".model", ".spm", NULL};

const at_tokenizer_kind at_tokenizer_kind_sentencepiece = {
    .name = "sentencepiece",
    .what = "pieces learned from raw text, blanks included: unigram, or byte-pair encoding",
    .source = "Kudo and Richardson 2018",
    .files = "spiece.model",
    .found = found,
    .ends = ends,
    .learns = ATTEND_LEARN_SIZE | ATTEND_LEARN_COVERAGE | ATTEND_LEARN_MODEL,
    .learn = at_sentencepiece_learn,
    .load = load,
    .save = save,
    .encode = encode,
    .join = join,
    .free = free_sentencepiece,
};
