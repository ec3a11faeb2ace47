/* Fits a curve to five points by attention pooling, and asks it for a value between them. */
#include <attend_pooling.h>
#include <stdio.h>

int main(void)
{
    const double x[] = {0, 1, 2, 3, 4}, y[] = {0, 1, 4, 9, 16}, between = 2.5;
    double value = 0;
    attend_pooling *curve = NULL;
    attend_error err;
    attend_status status = attend_fit(5, 1, x, y, NULL, &curve, &err);
    if (status >= 0)
        status = attend_pooling_predict(curve, ATTEND_POOLING_LEARNED, 1, &between, &value, &err);
    if (status < 0)
        fprintf(stderr, "%s\n", err.message);
    else
        printf("f(%g) = %.2f, says attend %s\n", between, value, attend_version());
    attend_pooling_free(curve);
    return status < 0;
}
