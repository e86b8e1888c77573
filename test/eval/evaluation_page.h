// SPDX-License-Identifier: Apache-2.0
//
// The results in the page about the evaluation are made from the labelled kernels.
#ifndef PROF_TEST_EVAL_EVALUATION_PAGE_H_
#define PROF_TEST_EVAL_EVALUATION_PAGE_H_

#include <string>

namespace prof::eval {

// Both forms of the kernels in `folder`, as text.
std::string ResultText(const std::string& folder);

// `page` with `text` between `<!-- begin results -->` and `<!-- end results -->`. A page without
// these lines is left as it is.
std::string WithResults(const std::string& page, const std::string& text);

// The content of `path`; empty: it cannot be read.
std::string ReadEvaluationPage(const std::string& path);

}  // namespace prof::eval

#endif  // PROF_TEST_EVAL_EVALUATION_PAGE_H_
