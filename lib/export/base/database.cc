// SPDX-License-Identifier: Apache-2.0
#include "lib/export/base/database.h"

#include <sqlite3.h>

#include <cstdio>

namespace prof::exporting {

Database::Database(const std::string& path) {
  std::remove(path.c_str());
  Check(sqlite3_open(path.c_str(), &handle_));
  // Nobody reads the file before it is complete, and a broken one is removed.
  Run("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-8192; BEGIN");
}

Database::~Database() { sqlite3_close_v2(handle_); }

void Database::Check(int result) {
  if (result == SQLITE_OK || result == SQLITE_DONE || result == SQLITE_ROW) return;
  if (problem_.empty()) problem_ = std::string("SQLite: ") + sqlite3_errmsg(handle_);
}

void Database::Run(const std::string& sql) {
  if (problem_.empty()) Check(sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr));
}

void Database::Close() { Run("COMMIT"); }

Table::~Table() { sqlite3_finalize(statement_); }

void Table::Create(size_t cells) {
  database_->Run("CREATE TABLE " + name_ + " (" + columns_ + ")");
  std::string places = "?";
  for (size_t i = 1; i < cells; ++i) places += ",?";
  const std::string sql = "INSERT INTO " + name_ + " VALUES (" + places + ")";
  if (!database_->problem().empty()) return;
  database_->Check(sqlite3_prepare_v2(database_->handle_, sql.c_str(), -1, &statement_, nullptr));
}

void Table::Bind(int column, const Cell& cell) {
  int result = SQLITE_OK;
  if (const auto* integer = std::get_if<int64_t>(&cell)) {
    result = sqlite3_bind_int64(statement_, column, *integer);
  } else if (const auto* number = std::get_if<double>(&cell)) {
    result = sqlite3_bind_double(statement_, column, *number);  // NaN becomes NULL
  } else if (const auto* text = std::get_if<std::string_view>(&cell)) {
    result = sqlite3_bind_text64(statement_, column, text->data() == nullptr ? "" : text->data(),
                                 text->size(), SQLITE_STATIC, SQLITE_UTF8);
  } else {
    result = sqlite3_bind_null(statement_, column);
  }
  database_->Check(result);
}

void Table::Step() {
  database_->Check(sqlite3_step(statement_));
  sqlite3_reset(statement_);
}

}  // namespace prof::exporting
