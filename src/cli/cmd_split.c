/* attend split: a sentence a line, from paragraphs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/packed.h"
#include "cli/cli.h"

#define LANGUAGES "auto|en|fr|de|es|it|pt|nl|ru|zh|ja|ko"

typedef struct {
    int language;
    bool wrapped, paragraphs;
} split;

static const at_option options[] = {
    {.name = "language", .letter = 'l', OPTION_CHOICE(split, language), .choices = LANGUAGES,
     .value = "auto", .meta = "LANGUAGE",
     .help = "Whose abbreviations to know; auto knows all of them",
     .example = {"attend split --language de < text.txt", "German: 3. and z. B. end no sentence"}},
    {.name = "wrapped", .letter = 'w', OPTION_FLAG(split, wrapped),
     .help = "Lines up to an empty one are a paragraph; otherwise every line is one",
     .example = {"attend split --wrapped book.txt > book.sentences",
                 "Text with line breaks within its sentences"}},
    {.name = "paragraphs", .letter = 'p', OPTION_FLAG(split, paragraphs),
     .help = "Write an empty line after the sentences of a paragraph"},
    {0}};

enum { FLUSH = 1 << 16 }; /* bytes of output that are written at once */

typedef struct {
    const split *o;
    char language[8];
    at_str paragraph, out;
    char *line; /* of getline */
    size_t room;
} splitter;

/* Line breaks inside a sentence become blanks, one for each run of white space around them. */
static int write_sentence(void *user, const char *text, size_t size)
{
    splitter *s = user;
    for (size_t at = 0; at < size;) {
        const char *found = memchr(text + at, '\n', size - at);
        size_t end = found ? (size_t)(found - text) : size, cut = end;
        while (found && cut > at && strchr(" \t\r", text[cut - 1]) && text[cut - 1])
            cut--;
        at_str_add_bytes(&s->out, text + at, cut - at);
        for (at = end; at < size && strchr(" \t\r\n", text[at]) && text[at];)
            at++;
        if (found)
            at_str_add(&s->out, " ");
    }
    at_str_add(&s->out, "\n");
    return 0;
}

static attend_status flush(splitter *s, size_t above, attend_error *err)
{
    if (s->out.length <= above && !s->out.failed)
        return ATTEND_OK;
    attend_status status = at_cli_write(&s->out, err);
    s->out = (at_str){0};
    return status;
}

static attend_status split_paragraph(splitter *s, const char *text, size_t size, attend_error *err)
{
    size_t before = s->out.length;
    attend_status status = attend_sentences_split(text, size, s->language, write_sentence, s, err);
    if (status >= 0 && s->o->paragraphs && s->out.length > before)
        at_str_add(&s->out, "\n");
    return status < 0 ? status : flush(s, FLUSH, err);
}

static bool is_empty(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!text[i] || !strchr(" \t\r\n", text[i]))
            return false;
    return true;
}

static attend_status end_paragraph(splitter *s, attend_error *err)
{
    attend_status status = ATTEND_OK;
    if (s->paragraph.failed)
        return at_error_memory(err);
    if (s->paragraph.length)
        status = split_paragraph(s, s->paragraph.text, s->paragraph.length, err);
    at_str_clear(&s->paragraph);
    return status;
}

static attend_status split_line(splitter *s, size_t size, attend_error *err)
{
    if (!s->o->wrapped)
        return split_paragraph(s, s->line, size, err);
    if (is_empty(s->line, size))
        return end_paragraph(s, err);
    at_str_add_bytes(&s->paragraph, s->line, size);
    return ATTEND_OK;
}

static attend_status split_file(splitter *s, FILE *file, const char *name, attend_error *err)
{
    attend_status status = ATTEND_OK;
    ssize_t size;
    errno = 0;
    for (bool first = true; status >= 0; first = false) {
        size = getline(&s->line, &s->room, file);
        if (size < 0)
            break;
        if (first)
            status = at_packed_refuse(name, s->line, (size_t)size, err);
        if (status >= 0)
            status = split_line(s, (size_t)size, err);
    }
    if (status >= 0 && (ferror(file) || !feof(file)))
        status = at_error(err, ATTEND_FILE, "%s: cannot read: %s", name, strerror(errno));
    return status < 0 ? status : end_paragraph(s, err);
}

static attend_status split_path(splitter *s, at_cli *cli, const char *path, attend_error *err)
{
    if (strcmp(path, "-") == 0)
        return split_file(s, stdin, "standard input", err);
    cli->input = path;
    FILE *file = fopen(path, "rb");
    if (!file)
        return at_error(err, ATTEND_FILE, "%s: cannot open: %s", at_show(path).text,
                        strerror(errno));
    attend_status status = split_file(s, file, at_show(path).text, err);
    fclose(file);
    if (status >= 0)
        cli->input = NULL;
    return status;
}

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    splitter s = {.o = fields};
    at_str name = {0};
    attend_status status = ATTEND_OK;
    at_choice_print(&name, LANGUAGES, s.o->language);
    snprintf(s.language, sizeof s.language, "%s", at_str_text(&name));
    at_str_free(&name);
    if (operands == 0)
        status = split_file(&s, stdin, "standard input", err);
    for (int i = 0; i < operands && status >= 0; i++)
        status = split_path(&s, cli, operand[i], err);
    if (status >= 0)
        status = flush(&s, 0, err);
    at_str_free(&s.paragraph);
    at_str_free(&s.out);
    free(s.line);
    return status;
}

static const at_term examples[] = {
    {"attend split < paragraphs.txt", "One sentence a line"},
    {0}};

const at_command at_command_split = {
    .usage = {.name = "split",
              .summary = "Split paragraphs into sentences, one a line",
              .operands = "[FILE]...",
              .description =
                  "Reads files, or standard input when there is none or for -. Every line is a "
                  "paragraph, unless --wrapped says otherwise.\n"
                  "\n"
                  "Sentences end by rule: at full stops, question and exclamation marks of all "
                  "scripts, with the quotes and brackets that close after them; but not in "
                  "numbers and addresses, after abbreviations and initials, or before a small "
                  "letter. Nothing is dropped but white space between sentences and empty lines.",
              .options = options,
              .examples = examples},
    .size = sizeof(split),
    .max_operands = 1 << 20,
    .run = run,
};
