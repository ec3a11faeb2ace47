#include "cli/data_report.h"

#include <string.h>

#include "base/file.h"
#include "base/json_write.h"
#include "cli/table.h"

static const char *const level_names[] = {"note", "warning", "error"};

static bool is_clean(const attend_check *check)
{
    size_t count = 0;
    attend_finding f;
    for (size_t i = 0; attend_check_finding(check, i, &f); i++)
        count += f.count;
    return count == 0;
}

/* 167130 as "167,130" */
static void grouped(at_str *out, size_t n)
{
    char digits[32];
    int length = 0;
    for (; n || !length; n /= 10)
        digits[length++] = (char)('0' + n % 10);
    while (length-- > 0) {
        at_str_add_bytes(out, &digits[length], 1);
        at_str_add(out, length && length % 3 == 0 ? "," : "");
    }
}

static void counted(at_str *out, size_t n, const char *one, const char *many)
{
    grouped(out, n);
    at_str_print(out, " %s", n == 1 ? one : many);
}

/* ---- what there is ---------------------------------------------------------------------- */

/* by its name, tabs are in it */
static bool promises_pairs(const char *path)
{
    return at_file_ends(path, ".tsv") || at_file_ends(path, ".tsv.gz")
           || at_file_ends(path, ".tab");
}

static void write_head(at_str *out, const attend_check *check, const attend_check_summary *s,
                       int columns)
{
    bool pairs = s->target.texts > 0, same = s->sources == s->examples || !s->sources;
    const struct {
        size_t count;
        const char *one, *many;
    } parts[] = {
        {s->lines, "line", "lines"},
        {s->documents > 1 ? s->documents : 0, "document", "documents"},
        {same ? 0 : s->sources, pairs ? "different source" : "different text",
         pairs ? "different sources" : "different texts"},
        {s->unanswered, "question without an answer", "questions without an answer"},
    };
    at_str text = {0};
    for (size_t i = 0; i < s->files; i++) {
        at_str_add(out, i ? ", " : "");
        at_str_add_safe(out, attend_check_file(check, i));
    }
    at_str_print(&text, "read as %s: ", s->format);
    counted(&text, s->examples, "example", "examples");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].count) {
            at_str_add(&text, ", ");
            counted(&text, parts[i].count, parts[i].one, parts[i].many);
        }
    if (s->files && strcmp(s->format, "text") == 0 && promises_pairs(attend_check_file(check, 0)))
        at_str_add(&text, ". No line has a tab: these are no pairs, and teach no translator.");
    at_str_add(out, "\n");
    at_str_wrap(out, at_str_text(&text), 0, 0, columns);
    at_str_add(out, "\n\n");
    out->failed |= text.failed;
    at_str_free(&text);
}

static void size_row(at_table *t, const char *name, const attend_text_sizes *s)
{
    at_str number = {0};
    const size_t numbers[] = {s->words, s->characters};
    if (!s->texts)
        return;
    at_table_cell(t, "%s", name);
    for (int i = 0; i < 2; i++) {
        at_str_clear(&number);
        grouped(&number, numbers[i]);
        at_table_cell(t, "%s", at_str_text(&number));
    }
    at_table_cell(t, "%.1f", (double)s->words / (double)s->texts);
    at_table_cell(t, "%zu", s->half);
    at_table_cell(t, "%zu", s->most);
    at_table_cell(t, "%zu", s->longest);
    at_table_cell(t, "%zu", s->line);
    t->cells.failed |= number.failed;
    at_str_free(&number);
}

static void write_sizes(at_str *out, const attend_check_summary *s, int columns)
{
    static const at_column titles[] = {{"side", 0},
                                       {"words", ATTEND_COLUMN_NUMBER},
                                       {"characters", ATTEND_COLUMN_NUMBER},
                                       {"mean", ATTEND_COLUMN_NUMBER},
                                       {"median", ATTEND_COLUMN_NUMBER},
                                       {"99 %", ATTEND_COLUMN_NUMBER},
                                       {"longest", ATTEND_COLUMN_NUMBER},
                                       {"on line", ATTEND_COLUMN_NUMBER},
                                       {0}};
    at_table t = {.columns = titles};
    size_row(&t, s->target.texts || s->question.texts ? "source" : "text", &s->source);
    size_row(&t, "target", &s->target);
    size_row(&t, "question", &s->question);
    if (t.count)
        at_table_write(out, &t, ATTEND_TABLE_TEXT, columns);
    at_str_add(out, t.count ? "\n" : "");
    at_table_free(&t);
}

static void write_labels(at_str *out, const attend_check *check, const attend_check_summary *s,
                         int columns)
{
    enum { SHOWN = 12 };
    const char *label;
    size_t count;
    at_str text = {0};
    if (!s->labels)
        return;
    at_str_print(&text, "%zu label%s: ", s->labels, s->labels == 1 ? "" : "s");
    for (size_t i = 0; i < SHOWN && attend_check_label(check, i, &label, &count); i++) {
        at_str_add(&text, i ? ", " : "");
        at_str_add_safe(&text, label);
        at_str_add(&text, " ");
        grouped(&text, count);
    }
    if (s->labels > SHOWN)
        at_str_print(&text, ", and %zu more", s->labels - SHOWN);
    at_str_wrap(out, at_str_text(&text), 0, 0, columns);
    at_str_add(out, "\n\n");
    out->failed |= text.failed;
    at_str_free(&text);
}

/* ---- what was found --------------------------------------------------------------------- */

static void write_table(at_str *out, const attend_check *check, int columns)
{
    static const at_column titles[] = {
        {"level", 0}, {"finding", 0},    {"times", ATTEND_COLUMN_NUMBER},
        {"what", 0},  {"clean copy", 0}, {0}};
    at_table t = {.columns = titles};
    at_str number = {0};
    attend_finding f;
    for (int level = ATTEND_LEVEL_ERROR; level >= ATTEND_LEVEL_NOTE; level--)
        for (size_t i = 0; attend_check_finding(check, i, &f); i++) {
            if (!f.count || (int)f.level != level)
                continue;
            at_str_clear(&number);
            grouped(&number, f.count);
            at_table_cell(&t, "%s", level_names[level]);
            at_table_cell(&t, "%s", f.name);
            at_table_cell(&t, "%s", at_str_text(&number));
            at_table_cell(&t, "%s", f.what);
            at_table_cell(&t, "%s", *f.fix ? f.fix : "kept");
        }
    at_table_write(out, &t, ATTEND_TABLE_TEXT, columns);
    out->failed |= number.failed;
    at_str_free(&number);
    at_table_free(&t);
}

/* text in at most so many columns, with what was cut marked */
static void fit(at_str *out, const char *text, int columns)
{
    at_str safe = {0};
    at_str_add_safe(&safe, text);
    const char *from = at_str_text(&safe), *end = from;
    at_str part = {0};
    while (*end) {
        const char *next = end + 1;
        while ((*next & 0xC0) == 0x80)
            next++;
        at_str_clear(&part);
        at_str_add_bytes(&part, from, (size_t)(next - from));
        if (at_str_columns(at_str_text(&part)) > columns)
            break;
        end = next;
    }
    if (*end && end - from > 3)
        for (int i = 0; i < 3; i++)
            while ((*--end & 0xC0) == 0x80) {
            }
    at_str_add_bytes(out, from, (size_t)(end - from));
    at_str_add(out, *end ? "..." : "");
    out->failed |= safe.failed || part.failed;
    at_str_free(&safe);
    at_str_free(&part);
}

static void write_place(at_str *out, const attend_place *p, int columns)
{
    at_str line = {0};
    at_str_add(&line, "  ");
    at_str_add_safe(&line, p->file);
    at_str_print(&line, ":%zu: ", p->line);
    if (p->also_file && strcmp(p->also_file, p->file) == 0)
        at_str_print(&line, "as line %zu: ", p->also_line);
    else if (p->also_file) {
        at_str_add(&line, "as ");
        at_str_add_safe(&line, p->also_file);
        at_str_print(&line, ":%zu: ", p->also_line);
    }
    int left = columns - at_str_columns(at_str_text(&line));
    at_str_add_bytes(out, at_str_text(&line), line.length ? line.length - 1 : 0);
    at_str_add(out, left < 36 ? "\n    " : " "); /* a long name: the text gets its own line */
    fit(out, p->text, left < 36 ? columns - 4 : left);
    at_str_add(out, "\n");
    out->failed |= line.failed;
    at_str_free(&line);
}

static void write_finding(at_str *out, const attend_check *check, size_t index,
                          const attend_finding *f, int columns)
{
    attend_place place;
    size_t shown = 0;
    at_str text = {0};
    at_str_print(&text, "%s: %s. %s", f->name, f->what, f->remedy);
    at_str_add(out, "\n");
    at_str_wrap(out, at_str_text(&text), 0, 0, columns);
    at_str_add(out, "\n");
    for (; attend_check_place(check, index, shown, &place); shown++)
        write_place(out, &place, columns);
    if (f->count > shown && shown) {
        at_str_add(out, "  and ");
        grouped(out, f->count - shown);
        at_str_add(out, " more\n");
    }
    out->failed |= text.failed;
    at_str_free(&text);
}

static void write_copy(at_str *out, const attend_check_summary *s)
{
    if (!s->copy)
        return;
    at_str_add(out, "\n");
    at_str_add_safe(out, s->copy);
    if (s->second_copy) {
        at_str_add(out, ", ");
        at_str_add_safe(out, s->second_copy);
    }
    at_str_add(out, ": ");
    counted(out, s->kept, "example", "examples");
    at_str_add(out, ", ");
    grouped(out, s->dropped);
    at_str_add(out, " dropped, ");
    grouped(out, s->repaired);
    at_str_add(out, " repaired\n");
    if (s->flattened) {
        at_str_add(out, "Tabs or line ends in ");
        counted(out, s->flattened, "text", "texts");
        at_str_add(out, " became blanks; is --format right?\n");
    }
}

void at_data_report_text(at_str *out, const attend_check *check, int columns)
{
    attend_check_summary s;
    attend_finding f;
    attend_check_summarise(check, &s);
    write_head(out, check, &s, columns);
    write_sizes(out, &s, columns);
    write_labels(out, check, &s, columns);
    if (is_clean(check))
        at_str_add(out, s.examples ? "Nothing found that spoils training.\n" : "");
    else
        write_table(out, check, columns);
    for (int level = ATTEND_LEVEL_ERROR; level >= ATTEND_LEVEL_NOTE; level--)
        for (size_t i = 0; attend_check_finding(check, i, &f); i++)
            if (f.count && (int)f.level == level)
                write_finding(out, check, i, &f, columns);
    if (!s.complete)
        at_str_wrap(out,
                    "\nThere are more examples than memory allows to compare: duplicates were "
                    "looked for among the first ones.\n",
                    0, 0, columns);
    write_copy(out, &s);
}

/* ---- JSON ------------------------------------------------------------------------------- */

static void json_sizes(at_json_out *j, const char *name, const attend_text_sizes *s)
{
    if (!s->texts)
        return;
    at_json_line(j, 0);
    at_json_object(j, name);
    at_json_int(j, "texts", s->texts);
    at_json_int(j, "words", s->words);
    at_json_int(j, "characters", s->characters);
    at_json_int(j, "half", s->half);
    at_json_int(j, "most", s->most);
    at_json_int(j, "longest", s->longest);
    at_json_string(j, "file", s->file);
    at_json_int(j, "line", s->line);
    at_json_end(j);
}

static void json_places(at_json_out *j, const attend_check *check, int finding)
{
    attend_place p;
    at_json_array(j, "places");
    for (size_t i = 0; attend_check_place(check, finding, i, &p); i++) {
        at_json_object(j, NULL);
        at_json_string(j, "file", p.file);
        at_json_int(j, "line", p.line);
        if (p.also_file) {
            at_json_string(j, "as_file", p.also_file);
            at_json_int(j, "as_line", p.also_line);
        }
        at_json_string(j, "text", p.text);
        at_json_end(j);
    }
    at_json_end(j);
}

static void json_findings(at_json_out *j, const attend_check *check)
{
    attend_finding f;
    at_json_line(j, 0);
    at_json_array(j, "findings");
    for (size_t i = 0; attend_check_finding(check, i, &f); i++) {
        if (!f.count)
            continue;
        at_json_line(j, 2);
        at_json_object(j, NULL);
        at_json_string(j, "name", f.name);
        at_json_string(j, "level", level_names[f.level]);
        at_json_int(j, "count", f.count);
        at_json_string(j, "fix", f.fix);
        at_json_string(j, "what", f.what);
        json_places(j, check, i);
        at_json_end(j);
    }
    if (!is_clean(check))
        at_json_line(j, 0);
    at_json_end(j);
}

static void json_labels(at_json_out *j, const attend_check *check)
{
    const char *label;
    size_t count;
    at_json_line(j, 0);
    at_json_object(j, "labels");
    for (size_t i = 0; attend_check_label(check, i, &label, &count); i++)
        at_json_int(j, label, count);
    at_json_end(j);
}

static void copy_json(at_json_out *j, const attend_check_summary *s)
{
    at_json_line(j, 0);
    at_json_object(j, "copy");
    at_json_array(j, "files");
    at_json_string(j, NULL, s->copy);
    if (s->second_copy)
        at_json_string(j, NULL, s->second_copy);
    at_json_end(j);
    at_json_int(j, "kept", s->kept);
    at_json_int(j, "dropped", s->dropped);
    at_json_int(j, "repaired", s->repaired);
    at_json_int(j, "flattened", s->flattened);
    at_json_end(j);
}

void at_data_report_json(at_str *out, const attend_check *check)
{
    attend_check_summary s;
    at_json_out j = {.out = out};
    attend_check_summarise(check, &s);
    at_json_object(&j, NULL);
    at_json_array(&j, "files");
    for (size_t i = 0; i < s.files; i++)
        at_json_string(&j, NULL, attend_check_file(check, i));
    at_json_end(&j);
    at_json_line(&j, 0);
    at_json_string(&j, "format", s.format);
    at_json_int(&j, "lines", s.lines);
    at_json_int(&j, "examples", s.examples);
    at_json_int(&j, "documents", s.documents);
    at_json_int(&j, "sources", s.sources);
    at_json_int(&j, "unanswered", s.unanswered);
    at_json_bool(&j, "complete", s.complete);
    json_sizes(&j, "source", &s.source);
    json_sizes(&j, "target", &s.target);
    json_sizes(&j, "question", &s.question);
    if (s.labels)
        json_labels(&j, check);
    json_findings(&j, check);
    if (s.copy)
        copy_json(&j, &s);
    at_json_end(&j);
    at_str_add(out, "\n");
}
