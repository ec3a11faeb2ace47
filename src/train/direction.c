#include "train/direction.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"

/* codes of two and of three letters, and the name */
static const char *const languages[][3] = {
    {"ar", "ara", "Arabic"},   {"de", "deu", "German"},     {"en", "eng", "English"},
    {"es", "spa", "Spanish"},  {"fi", "fin", "Finnish"},    {"fr", "fra", "French"},
    {"he", "heb", "Hebrew"},   {"hu", "hun", "Hungarian"},  {"it", "ita", "Italian"},
    {"ja", "jpn", "Japanese"}, {"ko", "kor", "Korean"},     {"nl", "nld", "Dutch"},
    {"pl", "pol", "Polish"},   {"pt", "por", "Portuguese"}, {"ru", "rus", "Russian"},
    {"sv", "swe", "Swedish"},  {"tr", "tur", "Turkish"},    {"uk", "ukr", "Ukrainian"},
    {"zh", "cmn", "Chinese"},
};
enum { COUNT = sizeof languages / sizeof *languages };

/* the row of a language, or -1 */
static int row_of(const char *name)
{
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < 3; k++)
            if (strcasecmp(languages[i][k], name) == 0)
                return i;
    return -1;
}

bool at_language_same(const char *a, const char *b)
{
    int row = row_of(a);
    return row >= 0 ? row == row_of(b) : strcasecmp(a, b) == 0;
}

static const char *name_in(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* the other language of a file of manythings.org, or false: "fra-eng.zip", "fra.txt" */
static bool other_language(const char *path, char code[4])
{
    const char *name = name_in(path);
    for (int i = 0; i < 3; i++)
        if (!islower((unsigned char)name[i]))
            return false;
    snprintf(code, 4, "%.3s", name);
    return strncmp(name + 3, "-eng", 4) == 0
           || (row_of(code) >= 0 && strncmp(name + 3, ".txt", 4) == 0);
}

static attend_status of_pairs(const at_run_settings *run, const char *from, const char *to,
                              bool *swap, attend_error *err)
{
    char other[4];
    if (!other_language(run->data, other))
        return ATTEND_OK;
    bool forward = (!from || at_language_same(from, "eng")) && (!to || at_language_same(to, other));
    bool back = (!from || at_language_same(from, other)) && (!to || at_language_same(to, "eng"));
    if (forward == back)
        return at_error(err, ATTEND_OPTION,
                        "--from %s --to %s: %s has eng and %s, by its name; name these, or none",
                        from ? from : "?", to ? to : "?", at_show(name_in(run->data)).text, other);
    if (*swap && forward)
        return at_error(err, ATTEND_OPTION,
                        "--swap contradicts --from and --to: %s has eng first, by its name; leave "
                        "--swap out",
                        at_show(name_in(run->data)).text);
    *swap = back;
    return ATTEND_OK;
}

/* a file that ends in the code of another language than the one that was named */
static attend_status check_file(const char *option, const char *path, const char *wanted,
                                attend_error *err)
{
    const char *dot = path ? strrchr(name_in(path), '.') : NULL;
    if (!dot || !wanted || row_of(dot + 1) < 0 || at_language_same(dot + 1, wanted))
        return ATTEND_OK;
    return at_error(err, ATTEND_OPTION, "%s %s is in %s, by its name, not in %.40s", option,
                    at_show(name_in(path)).text, languages[row_of(dot + 1)][2], wanted);
}

attend_status at_direction_choose(const at_run_settings *run, const char *from, const char *to,
                                  bool *swap, attend_error *err)
{
    from = from && *from ? from : NULL;
    to = to && *to ? to : NULL;
    if (!from && !to)
        return ATTEND_OK;
    if (from && to && at_language_same(from, to))
        return at_error(err, ATTEND_OPTION, "--from %.40s --to %.40s is one language", from, to);
    if (run->data)
        return of_pairs(run, from, to, swap, err);
    attend_status status = check_file("--src", run->src, *swap ? to : from, err);
    return status < 0 ? status : check_file("--tgt", run->tgt, *swap ? from : to, err);
}
