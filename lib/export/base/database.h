// SPDX-License-Identifier: Apache-2.0
//
// A SQLite database that is written once, from begin to end.
#ifndef PROF_LIB_EXPORT_BASE_DATABASE_H_
#define PROF_LIB_EXPORT_BASE_DATABASE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

struct sqlite3;
struct sqlite3_stmt;

namespace prof::exporting {

// A cell: NULL, an integer, a number, a text.
using Cell = std::variant<std::monostate, int64_t, double, std::string_view>;
constexpr std::monostate kNull{};

class Database {
 public:
  // Replaces the file. All rows are one transaction, which Close() ends: a program that ends before
  // leaves a file that cannot be used.
  explicit Database(const std::string& path);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // What went wrong first; empty: nothing. After that, all calls do nothing.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  void Run(const std::string& sql);
  void Close();

 private:
  friend class Table;
  void Check(int result);

  sqlite3* handle_ = nullptr;
  std::string problem_;
};

// A table that is made with its first row: readers take a table that is there for one with rows.
class Table {
 public:
  // `columns`: as in CREATE TABLE.
  Table(Database* database, std::string name, std::string columns)
      : database_(database), name_(std::move(name)), columns_(std::move(columns)) {}
  ~Table();
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  // A row, one cell for each column. Texts need to live only as long as the call.
  template <typename... Cells>
  void Add(const Cells&... cells) {
    if (!database_->problem().empty()) return;
    if (statement_ == nullptr) Create(sizeof...(cells));
    if (statement_ == nullptr) return;
    int column = 0;
    (Bind(++column, ToCell(cells)), ...);
    Step();
  }

 private:
  template <typename Value>
  static Cell ToCell(const Value& value) {
    if constexpr (std::is_same_v<Value, Cell> || std::is_same_v<Value, std::monostate>) {
      return value;
    } else if constexpr (std::is_integral_v<Value>) {
      return static_cast<int64_t>(value);
    } else if constexpr (std::is_floating_point_v<Value>) {
      return double{value};
    } else {
      return std::string_view(value);
    }
  }
  void Create(size_t cells);
  void Bind(int column, const Cell& cell);
  void Step();

  Database* database_;
  std::string name_, columns_;
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace prof::exporting

#endif  // PROF_LIB_EXPORT_BASE_DATABASE_H_
