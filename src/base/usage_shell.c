/* Completion scripts. They hold the words themselves and never start the program, so that pressing
 * Tab is instant. */
#include <string.h>

#include "base/usage.h"

static bool takes_value(const at_option *o) { return !at_option_is_flag(o); }

static bool names_file(const at_option *o)
{
    return o->type == ATTEND_OPTION_PATH || o->type == ATTEND_OPTION_PATHS;
}

/* "a b c" from "a|b|c" */
static void words(at_str *out, const char *choices)
{
    for (int i = 0; i < at_choice_count(choices); i++) {
        at_str_add(out, i ? " " : "");
        at_choice_print(out, choices, i);
    }
}

/* what an operand can be, where that is not a file */
static void operands(at_str *out, const at_program *p, const at_usage *u)
{
    words(out, u->words);
    for (const at_usage *const *other = p->commands; u->of_command && *other; other++)
        if (!(*other)->hidden)
            at_str_print(out, "%s%s", other == p->commands ? "" : " ", (*other)->name);
}

static bool takes_file(const at_usage *u) { return u->operands && !u->words && !u->of_command; }

/* ---- bash ------------------------------------------------------------------------------- */

static void bash_names(at_str *out, const at_option *o)
{
    for (; o && o->name; o++) {
        if (o->hidden)
            continue;
        at_str_print(out, "--%s ", o->name);
        if (at_option_can_be_off(o))
            at_str_print(out, "--no-%s ", o->name);
    }
}

/* what may follow an option that takes a value */
static void bash_values(at_str *out, const at_option *o)
{
    for (; o && o->name; o++) {
        if (!takes_value(o))
            continue;
        at_str_print(out, "        --%s", o->name);
        if (o->letter)
            at_str_print(out, "|-%c", o->letter);
        at_str_add(out, ") words=\"");
        words(out, o->choices);
        at_str_print(out, "\"; files=%s ;;\n", names_file(o) ? "yes" : "");
    }
}

/* options where a dash is there already, else what the operand can be */
static void bash_command(at_str *out, const at_program *p, const at_usage *u)
{
    at_str_print(out, "    %s)\n        words=\"", u->name);
    operands(out, p, u);
    at_str_print(out, "\"; files=%s\n        if [[ $word == -* ]]; then words=\"",
                 takes_file(u) ? "yes" : "");
    bash_names(out, u->options);
    bash_names(out, p->common);
    at_str_add(out, "\"; files=; fi\n        case $before in\n");
    bash_values(out, u->options);
    bash_values(out, p->common);
    at_str_add(out, "        esac ;;\n");
}

static void bash(at_str *out, const at_program *p)
{
    at_str_print(out,
                 "# bash completion for %s: source this file, or put it as %s into\n"
                 "# ~/.local/share/bash-completion/completions\n"
                 "_%s()\n{\n"
                 "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
                 "    local command= words= files= i\n"
                 "    if [[ $word == = ]]; then word=\n"
                 "    elif [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi\n"
                 "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
                 "        [[ ${COMP_WORDS[i]} == -* ]] || { command=${COMP_WORDS[i]}; break; }\n"
                 "    done\n"
                 "    case $command in\n"
                 "    '') words=\"--help --version",
                 p->name, p->name, p->name);
    for (const at_usage *const *u = p->commands; *u; u++)
        if (!(*u)->hidden)
            at_str_print(out, " %s", (*u)->name);
    at_str_add(out, "\" ;;\n");
    for (const at_usage *const *u = p->commands; *u; u++)
        bash_command(out, p, *u);
    at_str_print(out,
                 "    esac\n"
                 "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                 "    if [[ $files ]]; then compopt -o default; fi\n"
                 "}\n"
                 "complete -F _%s %s\n",
                 p->name, p->name);
}

/* ---- zsh -------------------------------------------------------------------------------- */

/* for use inside '...' in the specifications of _arguments and _describe */
static void zsh_text(at_str *out, const char *text)
{
    for (; *text; text++)
        if (*text == '\'')
            at_str_add(out, "'\\''");
        else if (strchr("[]:\\", *text))
            at_str_print(out, "\\%c", *text);
        else
            at_str_add_bytes(out, text, 1);
}

static void zsh_option(at_str *out, const at_option *o, const char *name)
{
    bool value = takes_value(o);
    bool repeats = o->type == ATTEND_OPTION_PATHS || o->type == ATTEND_OPTION_TEXTS;
    at_str_print(out, "        '%s%s%s[", repeats ? "*" : "", name,
                 !value           ? ""
                 : name[1] == '-' ? "="
                                  : "+");
    zsh_text(out, o->help);
    at_str_add(out, "]");
    if (value) {
        at_str_add(out, ":");
        zsh_text(out, o->meta ? o->meta : "VALUE");
        at_str_add(out, names_file(o) ? ":_files" : o->choices ? ":(" : ":");
        words(out, o->choices);
        at_str_add(out, o->choices ? ")" : "");
    }
    at_str_add(out, "' \\\n");
}

static void zsh_options(at_str *out, const at_option *o)
{
    for (; o && o->name; o++) {
        char name[72] = "--", letter[3] = {'-', o->letter, 0};
        if (o->hidden)
            continue;
        strncat(name, o->name, sizeof name - 3);
        zsh_option(out, o, name);
        if (o->letter)
            zsh_option(out, o, letter);
        if (at_option_can_be_off(o)) {
            char no[72] = "--no-";
            strncat(no, o->name, sizeof no - 6);
            zsh_option(out, o, no);
        }
    }
}

static void zsh(at_str *out, const at_program *p)
{
    at_str_print(out,
                 "#compdef %s\n# zsh completion for %s: put it as _%s into a folder of $fpath\n"
                 "_%s()\n{\n    local -a commands=(\n",
                 p->name, p->name, p->name, p->name);
    for (const at_usage *const *u = p->commands; *u; u++) {
        if ((*u)->hidden)
            continue;
        at_str_print(out, "        '%s:", (*u)->name);
        zsh_text(out, (*u)->summary);
        at_str_add(out, "'\n");
    }
    at_str_add(out, "    )\n"
                    "    if (( CURRENT == 2 )); then\n"
                    "        _describe command commands\n"
                    "        return\n"
                    "    fi\n"
                    "    local command=$words[2]\n"
                    "    shift words; (( CURRENT-- ))\n"
                    "    case $command in\n");
    for (const at_usage *const *u = p->commands; *u; u++) {
        at_str_print(out, "    %s) _arguments -s \\\n", (*u)->name);
        zsh_options(out, (*u)->options);
        zsh_options(out, p->common);
        at_str_add(out, takes_file(*u) ? "        '*:file:_files" : "        '*:operand:(");
        operands(out, p, *u);
        at_str_add(out, takes_file(*u) ? "' ;;\n" : ")' ;;\n");
    }
    at_str_print(out,
                 "    esac\n}\nif [[ $funcstack[1] == _%s ]]; then _%s \"$@\"; "
                 "else compdef _%s %s; fi\n",
                 p->name, p->name, p->name, p->name);
}

/* ---- fish ------------------------------------------------------------------------------- */

static void fish_text(at_str *out, const char *text)
{
    at_str_add(out, "'");
    for (; *text; text++)
        at_str_print(out, *text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
    at_str_add(out, "'");
}

static void fish_option(at_str *out, const at_program *p, const at_usage *u, const at_option *o)
{
    if (at_option_can_be_off(o)) {
        at_str_print(out, "complete -c %s -n '__fish_seen_subcommand_from %s' -l no-%s -d ",
                     p->name, u->name, o->name);
        fish_text(out, o->help);
        at_str_add(out, "\n");
    }
    at_str_print(out, "complete -c %s -n '__fish_seen_subcommand_from %s' -l %s", p->name, u->name,
                 o->name);
    if (o->letter)
        at_str_print(out, " -s %c", o->letter);
    if (takes_value(o))
        at_str_add(out, names_file(o) ? " -r -F" : " -x");
    if (o->choices) {
        at_str_add(out, " -a '");
        words(out, o->choices);
        at_str_add(out, "'");
    }
    at_str_add(out, " -d ");
    fish_text(out, o->help);
    at_str_add(out, "\n");
}

static void fish_command(at_str *out, const at_program *p, const at_usage *u)
{
    at_str_print(out, "complete -c %s -n __fish_use_subcommand -f -a %s -d ", p->name, u->name);
    fish_text(out, u->summary);
    at_str_add(out, "\n");
    if (!takes_file(u)) {
        at_str_print(out, "complete -c %s -n '__fish_seen_subcommand_from %s' -f -a '", p->name,
                     u->name);
        operands(out, p, u);
        at_str_add(out, "'\n");
    }
    for (const at_option *o = u->options; o && o->name; o++)
        if (!o->hidden)
            fish_option(out, p, u, o);
    for (const at_option *o = p->common; o && o->name; o++)
        if (!o->hidden)
            fish_option(out, p, u, o);
}

static void fish(at_str *out, const at_program *p)
{
    at_str_print(out,
                 "# fish completion for %s: put it as %s.fish into\n"
                 "# ~/.config/fish/completions\n",
                 p->name, p->name);
    for (const at_usage *const *u = p->commands; *u; u++)
        if (!(*u)->hidden)
            fish_command(out, p, *u);
}

bool at_program_completion(at_str *out, const at_program *p, const char *shell)
{
    int which = at_choice_find("bash|zsh|fish", shell);
    if (which == 0)
        bash(out, p);
    else if (which == 1)
        zsh(out, p);
    else if (which == 2)
        fish(out, p);
    return which >= 0;
}
