#include "train/job.h"

const at_job *const at_jobs[] = {
#define JOB(name) &at_job_##name,
#include "train/jobs.def"
#undef JOB
};

const int at_job_count = (int)(sizeof at_jobs / sizeof *at_jobs);

const at_job *at_job_for(const at_model_kind *kind)
{
    for (int i = 0; i < at_job_count; i++)
        if ((at_jobs[i]->can & kind->can) == at_jobs[i]->can)
            return at_jobs[i];
    return NULL;
}
