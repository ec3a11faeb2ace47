/* oracle-check DIR [FILTER]: runs every case below DIR and says how far we are off. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "oracle.h"

static const struct {
    const char *name;
    at_check_family *check;
} families[] = {
#define FAMILY(name) {#name, at_check_##name},
#include "families.def"
#undef FAMILY
};

typedef struct {
    int passed, failed, skipped;
} at_tally;

static const char usage[] =
    "usage: oracle-check DIR [FILTER]\n"
    "Compares attend with the reference results below DIR, a set of cases, one family's folder\n"
    "of it, or one case. FILTER is a part of family/case.\n"
    "Prints a line per case; exits with 1 when any of them fails.\n";

static at_check_family *find_family(const char *name)
{
    size_t len = strcspn(name, "/");

    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        if (strlen(families[i].name) == len && memcmp(families[i].name, name, len) == 0)
            return families[i].check;
    }
    return NULL;
}

/* 3.1e-7: two digits, no padding */
static const char *brief(double x, char text[32])
{
    char digits[16];
    int exponent = 0;

    if (x == 0 || !isfinite(x)) {
        snprintf(text, 32, "%g", x);
        return text;
    }
    snprintf(digits, sizeof digits, "%.1e", x);
    sscanf(strchr(digits, 'e') + 1, "%d", &exponent);
    *strchr(digits, 'e') = '\0';
    if (strcmp(digits + strlen(digits) - 2, ".0") == 0)
        digits[strlen(digits) - 2] = '\0';
    snprintf(text, 32, "%se%d", digits, exponent);
    return text;
}

/* the columns of the name, as wide as the longest, and of the verdict */
static void print_name(const char *name, int width, const char *verdict)
{
    printf("%-*s  %-4s  ", width, name, verdict);
}

static void print_worst(const at_case *c, int width)
{
    const at_worst *w = &c->worst;
    char error[32], tolerance[32];

    brief(w->error, error);
    brief(w->tolerance, tolerance);
    if (c->verdict == ATTEND_CASE_OK) {
        print_name(c->name, width, "ok");
        printf("worst %-6s of %s\n", error, tolerance);
        return;
    }
    print_name(c->name, width, "FAIL");
    printf("%s: error %s of %s (element %zu is %.9g, expected %.9g)", w->what, error, tolerance,
           w->element, w->got, w->expected);
    if (c->exceeded > 1)
        printf(", and %d more", c->exceeded - 1);
    putchar('\n');
}

static void report(const at_case *c, int width, at_tally *tally)
{
    static const char *const word[] = {
        [ATTEND_CASE_FAIL] = "FAIL",
        [ATTEND_CASE_UNKNOWN] = "unknown",
        [ATTEND_CASE_SKIPPED] = "skipped",
    };

    if (c->verdict == ATTEND_CASE_OK)
        tally->passed++;
    else if (c->verdict == ATTEND_CASE_SKIPPED)
        tally->skipped++;
    else
        tally->failed++;
    if (c->verdict == ATTEND_CASE_OK || c->reason[0] == '\0')
        print_worst(c, width);
    else {
        print_name(c->name, width, word[c->verdict]);
        puts(c->reason);
    }
    fflush(stdout);
}

static void run(const char *root, const at_found *found, int width, at_tally *tally)
{
    at_check_family *check = find_family(found->name);
    at_case c;

    if (!check) {
        c = (at_case){.name = found->name};
        at_case_unknown(&c, "no check for the family %.*s", (int)strcspn(found->name, "/"),
                        found->name);
        report(&c, width, tally);
        return;
    }
    at_case_open(&c, root, found);
    if (c.verdict == ATTEND_CASE_OK)
        check(&c);
    at_case_finish(&c);
    report(&c, width, tally);
    at_case_close(&c);
}

static bool is_wanted(const at_found *found, const char *filter)
{
    return !filter || strstr(found->name, filter);
}

static int run_all(const at_finds *finds, const char *filter)
{
    at_tally tally = {0, 0, 0};
    int width = 0;

    for (int i = 0; i < finds->count; i++) {
        int length = (int)strlen(finds->item[i].name);
        if (is_wanted(&finds->item[i], filter) && length > width)
            width = length;
    }
    for (int i = 0; i < finds->count; i++) {
        if (is_wanted(&finds->item[i], filter))
            run(finds->root, &finds->item[i], width, &tally);
    }
    if (tally.passed + tally.failed + tally.skipped == 0)
        fprintf(stderr, "oracle-check: no case %s%s; is DIR a set of cases?\n",
                filter ? "matches " : "found", filter ? filter : "");
    printf("%d passed, %d failed", tally.passed, tally.failed);
    if (tally.skipped > 0)
        printf(", %d skipped", tally.skipped);
    putchar('\n');
    return tally.failed > 0 || tally.passed + tally.skipped == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    at_finds finds = {.count = 0};
    attend_error err;
    int code;

    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(usage, stdout);
        return EXIT_SUCCESS;
    }
    if (argc < 2 || argc > 3 || argv[1][0] == '-' || argv[1][0] == '\0') {
        fputs(usage, stderr);
        return 2;
    }
    if (at_find_cases(&finds, argv[1], &err) < 0) {
        fprintf(stderr, "oracle-check: %s\n", err.message);
        at_finds_free(&finds);
        return err.status == ATTEND_FILE ? EX_NOINPUT : EXIT_FAILURE;
    }
    code = run_all(&finds, argc == 3 ? argv[2] : NULL);
    at_finds_free(&finds);
    return code;
}
