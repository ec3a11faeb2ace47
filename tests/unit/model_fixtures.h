/* Small models of every kind, from the folder of the fixtures, for tests that run them. */
#ifndef ATTEND_TESTS_MODEL_FIXTURES_H
#define ATTEND_TESTS_MODEL_FIXTURES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "store/model_folder.h"

static inline const char *fixture(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "tests/fixtures/models-0.1/%s", name);
    return path;
}

static inline at_model *open_fixture(const char *name)
{
    at_model *m;
    attend_error err;
    if (at_model_open(fixture(name), &m, &err) < 0)
        fail_msg("%s", err.message);
    return m;
}

#endif
