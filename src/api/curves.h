/* The curves of a training run: losses, and the measure that is watched, over epochs. */
#ifndef ATTEND_API_CURVES_H
#define ATTEND_API_CURVES_H

#include "base/error.h"

/* Draws folder/training/curves.FORMAT from folder/training/metrics.jsonl, whole or not at all;
 * lines that are no validations are left out.
 *
 * title     of the figure
 * format    "svg", "png" or "pdf" */
attend_status at_curves_draw(const char *folder, const char *title, const char *format,
                             attend_error *err);

#endif
