/* attend split: a sentence a line, from paragraphs. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "cli/stream.h"

#define LANGUAGES "auto|en|fr|de|es|it|pt|nl|ru|zh|ja|ko"

typedef struct {
    int language;
    bool wrapped, paragraphs;
} split;

static const at_option options[] = {
    {.name = "language",
     .letter = 'l',
     OPTION_CHOICE(split, language),
     .choices = LANGUAGES,
     .value = "auto",
     .meta = "LANGUAGE",
     .help = "Whose abbreviations to know; auto knows all of them",
     .example = {"attend split --language de < text.txt", "German: 3. and z. B. end no sentence"}},
    {.name = "wrapped",
     .letter = 'w',
     OPTION_FLAG(split, wrapped),
     .help = "Lines up to an empty one are a paragraph; otherwise every line is one",
     .example = {"attend split --wrapped book.txt > book.sentences",
                 "Text with line breaks within its sentences"}},
    {.name = "paragraphs",
     .letter = 'p',
     OPTION_FLAG(split, paragraphs),
     .help = "Write an empty line after the sentences of a paragraph"},
    {0}};

typedef struct {
    const split *o;
    char language[8];
    at_str paragraph, out;
} splitter;

/* Line breaks inside a sentence become blanks, one for each run of white space around them. */
static attend_status write_sentence(void *user, const char *text, size_t size, attend_error *err)
{
    (void)err;
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
    return ATTEND_OK;
}

static attend_status split_paragraph(splitter *s, const char *text, size_t size, attend_error *err)
{
    size_t before = s->out.length;
    attend_status status = attend_sentences_split(text, size, s->language, write_sentence, s, err);
    if (status >= 0 && s->o->paragraphs && s->out.length > before)
        at_str_add(&s->out, "\n");
    return status < 0 ? status : at_cli_flush(&s->out, false, err);
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

static attend_status split_line(splitter *s, const char *text, size_t size, attend_error *err)
{
    if (!s->o->wrapped)
        return split_paragraph(s, text, size, err);
    if (is_empty(text, size))
        return end_paragraph(s, err);
    at_str_add_bytes(&s->paragraph, text, size);
    at_str_add(&s->paragraph, "\n");
    return ATTEND_OK;
}

static attend_status split_path(splitter *s, at_cli *cli, const char *path, attend_error *err)
{
    const char *text;
    size_t size;
    int more;
    at_reader reader;
    attend_status status = at_reader_open(&reader, cli, path, err);
    reader.flushed = &s->out;
    while (status >= 0 && (more = at_reader_next(&reader, &text, &size, err)) != 0)
        status = more < 0 ? (attend_status)more : split_line(s, text, size, err);
    at_reader_close(&reader);
    return status < 0 ? status : end_paragraph(s, err);
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
        status = split_path(&s, cli, "-", err);
    for (int i = 0; i < operands && status >= 0; i++)
        status = split_path(&s, cli, operand[i], err);
    if (status >= 0)
        status = at_cli_flush(&s.out, true, err);
    at_str_free(&s.paragraph);
    at_str_free(&s.out);
    return status;
}

static const at_term examples[] = {{"attend split < paragraphs.txt", "One sentence a line"}, {0}};

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
                  "letter. Nothing is dropped but white space between sentences, empty lines "
                  "and a byte-order mark. How many lines have zero bytes or bytes that are no "
                  "UTF-8 is said at the end; they are written as they are.",
              .options = options,
              .examples = examples},
    .size = sizeof(split),
    .max_operands = 1 << 20,
    .run = run,
};
