#pragma once

#include "harness/core/document.hpp"

namespace bench::support {

// What `bench run model --size small,medium,large --context 256,512` could leave behind, invented and fixed:
// cases that are ok, out of memory and incorrect, warnings, a case cut short by its budget, a label that
// means harm. Golden files are made from it.
Document example_document();

// What a run on a GPU could leave behind: a described GPU, MFU, counters of the GPU, a note.
Document gpu_document();

// The shortest document: a run that was ended before its first case.
Document empty_document();

}  // namespace bench::support
