/* The kernels of pooling, as functions of s = u^2, u = |q - k| / h. */
#include <string.h>

#include "attention/pool.h"
#include "base/guess.h"

#define COST "n^2 d time, n^2 memory"

static real constant(real s, real *slope)
{
    (void)s;
    *slope = 0;
    return 1;
}

const at_kernel at_kernel_constant = {
    .about = {.name = "constant",
              .formula = "K(u) = 1",
              .source = "the average",
              .use = "to see what looking anywhere at all is worth",
              .cost = COST,
              .parameters = "none"},
    .value = constant,
};

static real boxcar(real s, real *slope)
{
    *slope = 0;
    return s < 1;
}

const at_kernel at_kernel_boxcar = {
    .about = {.name = "boxcar",
              .formula = "K(u) = 1 for u < 1, else 0",
              .source = "Rosenblatt 1956",
              .use = "a moving average: all within h count alike",
              .cost = COST,
              .parameters = "none"},
    .value = boxcar,
};

static real triangular(real s, real *slope)
{
    real u = real_sqrt(s);
    *slope = s > 0 && s < 1 ? -1 / (2 * u) : 0;
    return real_max(0, 1 - u);
}

const at_kernel at_kernel_triangular = {
    .about = {.name = "triangular",
              .formula = "K(u) = max(0, 1 - u)",
              .source = "Silverman 1986, table 3.1",
              .use = "nearer counts more, and nothing beyond h counts",
              .cost = COST,
              .parameters = "none"},
    .value = triangular,
};

static real epanechnikov(real s, real *slope)
{
    *slope = s < 1 ? -1 : 0;
    return real_max(0, 1 - s);
}

const at_kernel at_kernel_epanechnikov = {
    .about = {.name = "epanechnikov",
              .formula = "K(u) = max(0, 1 - u^2)",
              .source = "Epanechnikov 1969",
              .use = "the least squared error in the limit of many points",
              .cost = COST,
              .parameters = "none"},
    .value = epanechnikov,
};

const at_kernel at_kernel_gaussian = {
    .about = {.name = "gaussian",
              .formula = "K(u) = exp(-u^2 / 2)",
              .source = "Nadaraya 1964; Watson 1964",
              .use = "smooth curves; every point counts, if ever so little",
              .cost = COST,
              .parameters = "none"},
};

const at_kernel *const at_kernels[] = {
#define KERNEL(name) &at_kernel_##name,
#include "attention/kernels.def"
#undef KERNEL
};
const int at_kernel_count = (int)(sizeof at_kernels / sizeof *at_kernels);

const at_kernel *at_kernel_find(const char *name, attend_error *err)
{
    at_guess guess = {.word = name};
    for (int i = 0; i < at_kernel_count; i++) {
        const char *known = at_kernels[i]->about.name;
        if (strcmp(known, name) == 0)
            return at_kernels[i];
        at_guess_consider(&guess, known, strlen(known));
    }
    at_error(err, ATTEND_OPTION, "there is no kernel '%.40s'%s%s%s; attend list kernels names them",
             name, *guess.best ? " (did you mean '" : "", guess.best, *guess.best ? "'?)" : "");
    return NULL;
}
