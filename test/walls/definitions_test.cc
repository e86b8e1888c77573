// SPDX-License-Identifier: Apache-2.0
//
// A stranger who reads a declaration in x.h finds its definition in x.cc. The compiled libraries
// show whether that is true: each external symbol of x.cc.o has its class or function in x.h. Of
// sources that were compiled together, it is one with the name at the start of a line: calls are
// indented.
#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "test/support/catch.h"
#include "test/walls/source_tree.h"

namespace prof::walls::definitions_test {
namespace {

struct Symbol {
  std::string folder;  // of the library: "lib/capture/"
  std::string source;  // "collector.cc", or of several: "unity_0_cxx.cxx"
  std::string name;    // demangled: "prof::capture::Collector::Stop(bool)"
};

// The sources that CMake put together in `unit` of `archive`, from the file that includes them.
std::vector<SourceFile> SourcesOf(const std::string& archive, const std::string& unit) {
  const size_t folder = archive.rfind('/') + 1;  // "/build/lib/x/libprof_x.a"
  const size_t name = archive.find("lib", folder) + 3;
  std::ifstream file(archive.substr(0, folder) + "CMakeFiles/" +
                     archive.substr(name, archive.rfind('.') - name) + ".dir/Unity/" + unit);
  const std::string start = "#include \"";
  std::vector<SourceFile> sources;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(start, 0) != 0) continue;
    const std::string path = line.substr(start.size(), line.rfind('"') - start.size());
    std::ifstream source(path);
    const std::string text((std::istreambuf_iterator<char>(source)), {});
    sources.push_back({path, StripComments(text)});
  }
  return sources;
}

// One line of `nm -A -C --defined-only`: "libx.a:collector.cc.o:00000000 T prof::...". Only strong
// symbols count: inline functions and templates are weak, and live in headers anyway.
std::vector<Symbol> StrongSymbols(const std::string& folder, const std::string& archive) {
  std::vector<Symbol> symbols;
  for (const std::string& line :
       OutputOf("nm -A -C --defined-only '" + archive + "' 2>/dev/null")) {
    const size_t kind = line.find(' ') + 1;
    if (kind == 0 || kind + 2 >= line.size() || line[kind + 1] != ' ') continue;
    if (std::string_view("TDBR").find(line[kind]) == std::string_view::npos) continue;
    const size_t source = line.find(':') + 1;
    symbols.push_back(
        {folder, line.substr(source, line.find(".o:", source) - source), line.substr(kind + 2)});
  }
  return symbols;
}

bool IsIdentifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The class, function or variable that a reader looks for: the first part of the name behind the
// namespaces, which are in lower case. Empty for what the compiler makes by itself.
std::string NameToFind(const std::string& symbol) {
  if (symbol.rfind("prof::", 0) != 0 || symbol.find("[clone") != std::string::npos) return "";
  size_t at = 0;
  while (true) {
    size_t end = at;
    while (end < symbol.size() && IsIdentifier(symbol[end])) ++end;
    const bool is_scope = symbol.compare(end, 2, "::") == 0;
    if (!is_scope || std::isupper(static_cast<unsigned char>(symbol[at])) != 0) {
      return symbol.substr(at, end - at);
    }
    at = end + 2;
  }
}

bool HasWord(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool starts = at == 0 || !IsIdentifier(text[at - 1]);
    if (starts && (end == text.size() || !IsIdentifier(text[end]))) return true;
  }
  return false;
}

bool HasLineWith(std::string_view text, std::string_view word) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const bool starts = IsIdentifier(text[at]) || text[at] == '[';  // or an attribute
    if (starts && HasWord(text.substr(at, end - at), word)) return true;
    at = end + 1;
  }
  return false;
}

std::string Stem(const std::string& path) { return path.substr(0, path.rfind('.')); }
std::string FileName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// The headers in which a symbol of a library's x.cc may be declared: x.h in the folder of the
// library, because other libraries have files of the same name, and the public headers.
class Headers {
 public:
  explicit Headers(const std::vector<SourceFile>& files) {
    for (const SourceFile& file : files) {
      if (file.path.rfind("include/", 0) == 0) {
        public_ += StripComments(file.text);
      } else if (file.path.rfind(".h") + 2 == file.path.size()) {
        own_.push_back({file.path, StripComments(file.text)});
      }
    }
  }

  bool Declare(const std::string& name, const Symbol& symbol) const {
    if (HasWord(public_, name)) return true;
    return std::any_of(own_.begin(), own_.end(), [&](const SourceFile& header) {
      return header.path.rfind(symbol.folder, 0) == 0 &&
             FileName(Stem(header.path)) == Stem(symbol.source) && HasWord(header.text, name);
    });
  }

 private:
  std::vector<SourceFile> own_;
  std::string public_;
};

TEST_CASE("What x.cc defines is declared in x.h") {
  const Headers headers(ReadSources({"include", "lib", "cupti_backend", "native_bridge",
                                     "nvtx_bridge", "python_bridge", "torch_bridge"}));
  std::istringstream archives(PROF_ALL_ARCHIVES);  // "lib/capture/=/build/libprof_capture.a ..."
  std::set<std::string> strays;
  size_t symbols = 0;
  for (std::string archive; archives >> archive;) {
    const size_t equals = archive.find('=');
    REQUIRE(equals != std::string::npos);
    const std::string folder = archive.substr(0, equals), path = archive.substr(equals + 1);
    std::map<std::string, std::vector<SourceFile>> together;  // the sources by the object
    for (const Symbol& symbol : StrongSymbols(folder, path)) {
      const std::string name = NameToFind(symbol.name);
      if (name.empty()) continue;
      ++symbols;
      const auto [unit, added] = together.try_emplace(symbol.source);
      if (added) unit->second = SourcesOf(path, symbol.source);
      bool declared = unit->second.empty() && headers.Declare(name, symbol);
      for (const SourceFile& source : unit->second) {
        declared = declared || (HasLineWith(source.text, name) &&
                                headers.Declare(name, {folder, FileName(source.path), name}));
      }
      if (!declared) strays.insert(folder + symbol.source + ": " + name);
    }
  }
  CHECK(symbols > 300);
  CHECK(strays == std::set<std::string>{});
}

TEST_CASE("A header of the same name in another library declares nothing") {
  const Headers headers({{"lib/one/x.h", "void F();"}, {"include/prof/y.h", "void G();"}});
  CHECK(headers.Declare("F", {"lib/one/", "x.cc", ""}));
  CHECK_FALSE(headers.Declare("F", {"lib/two/", "x.cc", ""}));
  CHECK_FALSE(headers.Declare("F", {"lib/one/", "y.cc", ""}));
  CHECK(headers.Declare("G", {"lib/two/", "x.cc", ""}));
}

TEST_CASE("The name to look for is that of the class or the function") {
  CHECK(NameToFind("prof::capture::Collector::Stop(bool)") == "Collector");
  CHECK(NameToFind("prof::capture::CatchDumpSignal[abi:cxx11](int)") == "CatchDumpSignal");
  CHECK(NameToFind("prof::capture::g_counts") == "g_counts");
  CHECK(NameToFind("main").empty());
  CHECK(HasWord("void Stop(bool);", "Stop"));
  CHECK_FALSE(HasWord("void StopAll(bool);", "Stop"));
  CHECK(HasLineWith("namespace prof {\nvoid A::Stop() {\n  Start();\n}\n", "Stop"));
  CHECK_FALSE(HasLineWith("namespace prof {\nvoid A::Stop() {\n  Start();\n}\n", "Start"));
}

}  // namespace
}  // namespace prof::walls::definitions_test
