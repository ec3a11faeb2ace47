#include "cli/language.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json_write.h"
#include "base/memory.h"
#include "cli/stream.h"

attend_status at_language_open(at_cli *cli, const char *path, const at_option *options,
                               const void *fields, const at_option_use uses[2],
                               attend_model **language, attend_error *err)
{
    attend_model_info info = {.size = sizeof info};
    cli->input = path;
    attend_status status = attend_model_open(path, language, err);
    if (status >= 0)
        status = attend_model_describe(*language, &info, err);
    bool generates = (info.can & ATTEND_CAN_GENERATE && !(info.can & ATTEND_CAN_TRANSLATE))
                     || info.can & ATTEND_CAN_FILL;
    if (status >= 0)
        status = at_option_use_check(options, fields, uses, 2, generates, err);
    if (status < 0 || !generates) {
        attend_model_free(*language);
        *language = NULL;
    }
    return status;
}

static attend_likelihood_options options_of(const at_language_text *t)
{
    attend_likelihood_options o;
    attend_likelihood_defaults(&o);
    o.context = t->context;
    o.stride = t->stride;
    return o;
}

/* ---- score ---------------------------------------------------------------------------------- */

typedef struct {
    size_t lines, tokens;
    double log_p;
} sums;

static attend_status score_line(const at_language_text *t, const char *text, size_t size, sums *s,
                                at_str *out, attend_error *err)
{
    attend_likelihood_options o = options_of(t);
    attend_likelihood *l;
    attend_status status = attend_likelihood_of(t->model, &o, text, size, &l, err);
    if (status < 0)
        return status;
    at_str_print(out, "%.6f", l->log_p);
    for (size_t i = 0; i < l->tokens && t->tokens; i++)
        at_str_print(out, "\t%s %.6f", l->token[i], l->log_ps[i]);
    at_str_add(out, "\n");
    s->lines++;
    s->tokens += l->tokens;
    s->log_p += l->log_p;
    attend_free(l);
    return at_cli_flush(out, false, err);
}

/* Does it predict masked tokens, not the next one? */
static attend_status is_masked(const at_language_text *t, bool *masked, attend_error *err)
{
    attend_model_info info = {.size = sizeof info};
    attend_status status = attend_model_describe(t->model, &info, err);
    *masked = info.can & ATTEND_CAN_FILL && !(info.can & ATTEND_CAN_GENERATE);
    return status;
}

attend_status at_language_score(const at_language_text *t, attend_error *err)
{
    bool masked;
    attend_status found = is_masked(t, &masked, err);
    if (found >= 0 && masked)
        return at_error(err, ATTEND_FORMAT,
                        "the model predicts masked words, and gives texts no probability; attend "
                        "evaluate measures its masked perplexity");
    if (found < 0)
        return found;
    at_reader reader = {0};
    at_str out = {0};
    sums s = {0};
    const char *text;
    size_t size;
    attend_status status = at_reader_open(&reader, t->cli, t->text, err);
    reader.flushed = &out;
    while (status >= 0 && (status = at_reader_next(&reader, &text, &size, err)) > 0)
        status = score_line(t, text, size, &s, &out, err);
    at_reader_close(&reader);
    if (status >= 0)
        status = at_cli_flush(&out, true, err);
    if (status >= 0 && !t->cli->common.quiet && s.tokens)
        fprintf(stderr, "%zu line%s, %zu tokens, log-probability %.3f, perplexity %.4f\n", s.lines,
                s.lines == 1 ? "" : "s", s.tokens, s.log_p, exp(-s.log_p / (double)s.tokens));
    at_str_free(&out);
    return status;
}

/* ---- evaluate ------------------------------------------------------------------------------- */

static void write_json(at_str *out, const attend_likelihood *l)
{
    at_json_out j = {.out = out};
    at_json_object(&j, NULL);
    at_json_real(&j, "perplexity", l->perplexity, 0);
    at_json_real(&j, "bits_per_byte", l->bits_per_byte, 0);
    at_json_real(&j, "log_p", l->log_p, 0);
    at_json_int(&j, "tokens", (long long)l->tokens);
    at_json_int(&j, "unknown", (long long)l->unknown);
    at_json_int(&j, "bytes", (long long)l->bytes);
    at_json_int(&j, "context", l->context);
    at_json_int(&j, "stride", l->stride);
    at_json_end(&j);
    at_str_add(out, "\n");
}

static void write_line(at_str *out, const char *name, const char *note, const char *format,
                       double value)
{
    char number[48];
    snprintf(number, sizeof number, format, value);
    at_str_pad(out, name, 14);
    at_str_pad(out, number, -12);
    at_str_print(out, "%s%s\n", *note ? "  " : "", note);
}

static void write_text(at_str *out, const attend_likelihood *l)
{
    char note[80] = "of a token, given all before it";
    if (l->context)
        snprintf(note, sizeof note, "of a token, in windows of %d, stride %d", l->context,
                 l->stride);
    write_line(out, "perplexity", note, "%.4f", l->perplexity);
    write_line(out, "bits per byte", "", "%.4f", l->bits_per_byte);
    write_line(out, "log p", "", "%.3f", l->log_p);
    write_line(out, "tokens", "", "%.0f", (double)l->tokens);
    snprintf(note, sizeof note, "%zu token%s", l->unknown, l->unknown == 1 ? "" : "s");
    write_line(out, "unknown", note, "%.2f %%", 100 * (double)l->unknown / (double)l->tokens);
    write_line(out, "bytes", "", "%.0f", (double)l->bytes);
}

static attend_status read_text(const at_language_text *t, char **text, size_t *size,
                               attend_error *err)
{
    enum { LARGEST = 1 << 30 };
    bool standard = strcmp(t->text, "-") == 0;
    t->cli->input = standard ? NULL : t->text;
    attend_status status = at_input_read(standard ? "/dev/stdin" : t->text, LARGEST, text, size,
                                         err);
    if (status >= 0 && !*size)
        return at_error(err, ATTEND_FORMAT, "%s: there is no text to evaluate with",
                        at_show(t->text).text);
    return status;
}

static void write_masked(const at_language_text *t, const attend_masked_result *r, at_str *out)
{
    at_json_out j = {.out = out};
    if (!t->json) {
        write_line(out, "perplexity", "of a masked token", "%.4f", r->perplexity);
        write_line(out, "accuracy", "of masked tokens, in percent", "%.2f", r->accuracy);
        write_line(out, "log p", "", "%.3f", r->log_p);
        write_line(out, "masked", "tokens", "%.0f", (double)r->tokens);
        write_line(out, "texts", "", "%.0f", (double)r->texts);
        return;
    }
    at_json_object(&j, NULL);
    at_json_real(&j, "masked_perplexity", r->perplexity, 0);
    at_json_real(&j, "masked_accuracy", r->accuracy, 0);
    at_json_real(&j, "log_p", r->log_p, 0);
    at_json_int(&j, "masked", (long long)r->tokens);
    at_json_int(&j, "texts", (long long)r->texts);
    at_json_int(&j, "cut", (long long)r->cut);
    at_json_end(&j);
    at_str_add(out, "\n");
}

/* The lines of a text, which gets a zero at the end of each; NULL without memory. */
static const char **lines_of(char *text, size_t size, size_t *count)
{
    size_t n = 0, room = 1;
    for (size_t i = 0; i < size; i++)
        room += text[i] == '\n';
    const char **line = at_alloc(room * sizeof *line);
    for (char *at = text, *end = text + size; line && at < end;) {
        char *stop = memchr(at, '\n', (size_t)(end - at));
        line[n] = at;
        at = stop ? stop + 1 : end;
        if (stop)
            *stop = '\0';
        n += *line[n] != '\0';
    }
    *count = n;
    return line;
}

static attend_status evaluate_masked(const at_language_text *t, attend_error *err)
{
    char *text = NULL;
    size_t size, count = 0;
    at_str out = {0};
    attend_masked_result result;
    if (t->context || t->stride)
        return at_error(err, ATTEND_OPTION,
                        "--%s is for models that predict the next token; leave it out",
                        t->context ? "context" : "stride");
    attend_status status = read_text(t, &text, &size, err);
    const char **line = status < 0 ? NULL : lines_of(text, size, &count);
    if (status >= 0)
        status = line ? attend_evaluate_masked(t->model, NULL, count, line, &result, err)
                      : at_error_memory(err);
    if (status >= 0) {
        write_masked(t, &result, &out);
        status = at_cli_write(&out, err);
    }
    at_free(line);
    at_free(text);
    return status;
}

attend_status at_language_evaluate(const at_language_text *t, attend_error *err)
{
    bool masked;
    attend_status found = is_masked(t, &masked, err);
    if (found < 0 || masked)
        return found < 0 ? found : evaluate_masked(t, err);
    attend_likelihood_options o = options_of(t);
    attend_likelihood *l = NULL;
    char *text = NULL;
    size_t size;
    at_str out = {0};
    attend_status status = read_text(t, &text, &size, err);
    if (status >= 0)
        status = attend_likelihood_of(t->model, &o, text, size, &l, err);
    if (status >= 0) {
        if (t->json)
            write_json(&out, l);
        else
            write_text(&out, l);
        status = at_cli_write(&out, err);
    }
    attend_free(l);
    at_free(text);
    return status;
}
