/* Shapes: up to four sizes, outermost first, as in NumPy. */
#ifndef ATTEND_TENSOR_SHAPE_H
#define ATTEND_TENSOR_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

enum { ATTEND_MAX_RANK = 4 };

typedef struct {
    int rank, dim[ATTEND_MAX_RANK];
} at_shape;

/* SHAPE(2, 3) is a matrix of two rows; SCALAR has rank 0 and one element */
#define SHAPE(...) \
    ((at_shape){.rank = (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int)), .dim = {__VA_ARGS__}})
#define SCALAR ((at_shape){.rank = 0})

typedef struct {
    char text[64];
} at_shape_text;

bool at_shape_len(at_shape s, size_t *len); /* false when negative or too large */
bool at_shape_equal(at_shape a, at_shape b);
int at_shape_last(at_shape s);    /* the innermost size; 1 for a scalar */
size_t at_shape_rows(at_shape s); /* all but the innermost, multiplied */
at_shape at_shape_with_last(at_shape s, int last);
at_shape at_shape_matrix(at_shape s);     /* [r,a,b] -> [r,a*b]; ranks below 3 stay */
at_shape_text at_shape_print(at_shape s); /* "(2, 3)" */

/* The shape that a and b have together when sizes of 1 are repeated; false when they do not fit. */
bool at_shape_broadcast(at_shape a, at_shape b, at_shape *out);

#endif
