// SPDX-License-Identifier: Apache-2.0
//
// The results in the page about the evaluation are made from the labelled kernels.
#ifndef PROF_TEST_EVAL_EVALUATION_PAGE_H_
#define PROF_TEST_EVAL_EVALUATION_PAGE_H_

#include <string>

namespace prof::eval {

// `page` with the results of today: of the known kernels, in both forms, and of the recorded zoo,
// in the form in which it was recorded; they are in `data`, in folders of their own. And of the
// simulated timelines.
std::string WithTodaysResults(const std::string& page, const std::string& data);

// `page` with `text` between `<!-- begin NAME -->` and `<!-- end NAME -->`. A page without these
// lines is left as it is.
std::string WithText(const std::string& page, const std::string& name, const std::string& text);

// The content of `path`; empty: it cannot be read.
std::string ReadEvaluationPage(const std::string& path);

}  // namespace prof::eval

#endif  // PROF_TEST_EVAL_EVALUATION_PAGE_H_
