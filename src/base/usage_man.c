/* Manual pages in the man macros of roff; groff_man(7). */
#include <ctype.h>
#include <string.h>

#include "base/option_alias.h"
#include "base/usage.h"

/* Text as roff prints it unchanged: a backslash and a plain minus are escaped, and a line never
 * starts with what would be a request. */
static void text(at_str *out, const char *plain)
{
    if (*plain == '.' || *plain == '\'')
        at_str_add(out, "\\&");
    for (; *plain; plain++)
        switch (*plain) {
        case '\\': at_str_add(out, "\\e"); break;
        case '-': at_str_add(out, "\\-"); break;
        case '^': at_str_add(out, "\\(ha"); break;
        case '~': at_str_add(out, "\\(ti"); break;
        case '`': at_str_add(out, "\\(ga"); break;
        case '\'': at_str_add(out, "\\(aq"); break;
        default: at_str_add_bytes(out, plain, 1);
        }
}

static void line(at_str *out, const char *request, const char *plain)
{
    at_str_add(out, request);
    text(out, plain);
    at_str_add(out, "\n");
}

/* paragraphs, an empty line between them */
static void paragraphs(at_str *out, const char *plain)
{
    at_str part = {0};
    for (const char *end; plain && *plain; plain = *end ? end + 1 + (end[1] == '\n') : end) {
        end = strchr(plain, '\n');
        end = end ? end : plain + strlen(plain);
        at_str_clear(&part);
        at_str_add_bytes(&part, plain, (size_t)(end - plain));
        line(out, ".PP\n", at_str_text(&part));
    }
    out->failed |= part.failed;
    at_str_free(&part);
}

static void options(at_str *out, const at_option *list, const char *group)
{
    at_str part = {0};
    for (const at_option *o = list; o && o->name; o++) {
        const char *heading = o->group ? o->group : o == list ? group : NULL;
        if (heading)
            line(out, ".SS ", heading);
        if (o->hidden)
            continue;
        at_str_add(out, ".TP\n.B ");
        at_str_clear(&part);
        if (o->letter)
            at_str_print(&part, "-%c, ", o->letter);
        at_option_title(&part, o);
        line(out, "", at_str_text(&part));
        at_str_clear(&part);
        at_option_explain(&part, o);
        at_str_add(&part, ".");
        line(out, "", at_str_text(&part));
    }
    out->failed |= part.failed;
    at_str_free(&part);
}

/* the other names of an option, and of a value of it */
static void aliases_of(at_str *out, const at_option *list, const at_option *o)
{
    const at_option_set set = {list, NULL};
    const char *value = at_option_alias_of_value(o->name);
    void *fields;
    for (const at_option_alias *a = at_option_aliases; a->alias; a++)
        if (strcmp(a->name, o->name) == 0 && at_option_find(&set, 1, a->alias, &fields) == o)
            at_str_print(out, "%s--%s", out->length ? ", " : "", a->alias);
    if (value
        && at_choice_find(o->choices ? o->choices : "", at_option_alias_value(o->name, value)) >= 0)
        at_str_print(out, "%s%s for %s", out->length ? "; " : "", value,
                     at_option_alias_value(o->name, value));
}

static void aliases(at_str *out, const at_option *list)
{
    at_str part = {0};
    bool any = false;
    for (const at_option *o = list; o && o->name; o++) {
        at_str_clear(&part);
        aliases_of(&part, list, o);
        if (o->hidden || !part.length)
            continue;
        at_str_add(out, any ? "" : ".SH ALIASES\nOther names that are accepted:\n");
        any = true;
        at_str_add(out, ".TP\n.B \\-\\-");
        line(out, "", o->name);
        line(out, "", at_str_text(&part));
    }
    out->failed |= part.failed;
    at_str_free(&part);
}

static void terms(at_str *out, const char *heading, const at_term *list)
{
    if (!list || !list->term)
        return;
    line(out, ".SH ", heading);
    for (; list->term; list++) {
        line(out, ".TP\n.B ", list->term);
        line(out, "", list->meaning);
    }
}

static void example(at_str *out, const char *command, const char *what)
{
    line(out, ".PP\n", what);
    line(out, ".PP\n.in +4n\n.nf\n", command);
    at_str_add(out, ".fi\n.in\n");
}

static void examples(at_str *out, const at_term *list, const at_option *o)
{
    bool any = list && list->term;
    for (const at_option *i = o; i && i->name; i++)
        any |= i->example.term != NULL;
    if (any)
        at_str_add(out, ".SH EXAMPLES\n");
    for (; list && list->term; list++)
        example(out, list->term, list->meaning);
    for (; o && o->name; o++)
        if (o->example.term)
            example(out, o->example.term, o->example.meaning);
}

static void title(at_str *out, const at_program *p, const char *command)
{
    at_str_add(out, ".TH \"");
    for (const char *c = p->name; *c; c++)
        at_str_print(out, "%c", toupper((unsigned char)*c));
    at_str_add(out, command ? "\\-" : "");
    for (const char *c = command ? command : ""; *c; c++)
        at_str_print(out, "%c", toupper((unsigned char)*c));
    at_str_print(out, "\" \"1\" \"\" \"%s %s\" \"User Commands\"\n", p->name, p->version);
    at_str_print(out, ".nh\n.ad l\n.SH NAME\n%s", p->name); /* names are never cut, nor far apart */
    at_str_add(out, command ? "\\-" : "");
    text(out, command ? command : "");
}

static void see_also(at_str *out, const at_program *p, const at_usage *self)
{
    at_str_add(out, ".SH SEE ALSO\n");
    if (self)
        at_str_print(out, ".BR %s (1)", p->name);
    bool first = self == NULL;
    for (const at_usage *const *u = p->commands; *u; u++) {
        if ((*u)->hidden || *u == self)
            continue;
        at_str_print(out, "%s.BR %s\\-%s (1)", first ? "" : ",\n", p->name, (*u)->name);
        first = false;
    }
    at_str_add(out, "\n");
}

void at_usage_man(at_str *out, const at_program *p, const at_usage *u)
{
    title(out, p, u->name);
    line(out, " \\- ", u->summary);
    at_str_print(out, ".SH SYNOPSIS\n.B %s %s\n[OPTIONS]", p->name, u->name);
    line(out, u->operands ? "\n" : "", u->operands ? u->operands : "");
    at_str_add(out, ".SH DESCRIPTION\n");
    paragraphs(out, u->description ? u->description : u->summary);
    at_str_add(out, ".SH OPTIONS\n");
    options(out, u->options, NULL);
    options(out, p->common, "Common options");
    aliases(out, u->options);
    examples(out, u->examples, u->options);
    terms(out, "EXIT STATUS", p->exit_codes);
    terms(out, "ENVIRONMENT", p->environment);
    see_also(out, p, u);
}

void at_program_man(at_str *out, const at_program *p)
{
    title(out, p, NULL);
    line(out, " \\- ", p->summary);
    at_str_print(out,
                 ".SH SYNOPSIS\n.B %s\nCOMMAND [OPTIONS] [OPERANDS]\n.br\n.B %s \\-\\-version\n"
                 ".SH DESCRIPTION\n",
                 p->name, p->name);
    paragraphs(out, p->description);
    at_str_add(out, ".SH COMMANDS\n");
    for (const at_usage *const *u = p->commands; *u; u++)
        if (!(*u)->hidden) {
            line(out, ".TP\n.B ", (*u)->name);
            line(out, "", (*u)->summary);
        }
    at_str_add(out, ".SH OPTIONS\n");
    options(out, p->common, NULL);
    examples(out, p->examples, NULL);
    terms(out, "EXIT STATUS", p->exit_codes);
    terms(out, "ENVIRONMENT", p->environment);
    see_also(out, p, NULL);
}
