// SPDX-License-Identifier: Apache-2.0
//
// A Page is one Markdown page of the source tree. The functions find its links, its headings and
// the source files that it names.
#ifndef PROF_TEST_DOCS_PAGES_H_
#define PROF_TEST_DOCS_PAGES_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace prof::docs {

struct Page {
  std::string path;  // from the source root: "docs/guide/rules.md"
  std::string text;
};

// All pages, and with `extensions` other text files, below `folders` and in the source root.
std::vector<Page> ReadPages();
std::vector<Page> ReadFiles(const std::vector<std::string>& folders,
                            const std::set<std::string>& extensions);

// Lines outside of code blocks and of places that a script fills ("<!-- begin NAME -->").
std::vector<std::string> ProseLines(std::string_view text);

// Targets of "[text](target)" that stay inside the tree, as written.
std::vector<std::string> LocalLinks(const Page& page);

// The anchors of a page's headings, as GitHub makes them: "What it is" -> "what-it-is".
std::set<std::string> Anchors(std::string_view text);

// Paths between backquotes that begin with a folder of the source tree.
std::vector<std::string> NamedFiles(const Page& page);

// Names of pages in any text: "docs/guide/rules.md".
std::vector<std::string> NamedPages(std::string_view text);

// `target` of a link on `page`, from the source root, without its anchor. The page of a folder is
// its README.md.
std::string Resolve(const Page& page, const std::string& target);

bool Exists(const std::string& path);  // from the source root

}  // namespace prof::docs

#endif  // PROF_TEST_DOCS_PAGES_H_
