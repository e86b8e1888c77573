// SPDX-License-Identifier: Apache-2.0
//
// Values of a report as Python values: text, numbers, lists, and properties of the structs.
#ifndef PROF_PYTHON_SRC_VALUES_H_
#define PROF_PYTHON_SRC_VALUES_H_

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace prof::python {

namespace nb = nanobind;

template <typename T>
using Tuple = nb::typed<nb::tuple, T, nb::ellipsis>;
template <typename T>
using ByName = nb::typed<nb::dict, nb::str, T>;
using Size3 = nb::typed<nb::tuple, nb::int_, nb::int_, nb::int_>;

// A name of the profiled program may hold any bytes: those that are no UTF-8 become U+FFFD.
inline nb::str Text(std::string_view text) {
  return nb::steal<nb::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

inline nb::str ToPython(const std::string& text) { return Text(text); }
inline nb::str ToPython(std::string_view text) { return Text(text); }

inline Size3 ToPython(const std::array<uint32_t, 3>& size) {
  return nb::cast<Size3>(nb::make_tuple(size[0], size[1], size[2]));
}

// Numbers as they are, enums by the name that JSON has, structs as a copy.
template <typename T>
auto ToPython(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return Text(ToString(value));
  } else {
    return value;
  }
}

inline Tuple<nb::str> ToPython(const std::vector<std::string>& list) {
  nb::list texts;
  for (const std::string& text : list) texts.append(Text(text));
  return nb::cast<Tuple<nb::str>>(nb::tuple(texts));
}

template <typename T>
Tuple<T> ToPython(const std::vector<T>& list) {
  nb::list values;
  for (const T& value : list) values.append(nb::cast(value, nb::rv_policy::copy));
  return nb::cast<Tuple<T>>(nb::tuple(values));
}

template <typename T>
ByName<T> ToPython(const std::map<std::string, T, std::less<>>& map) {
  nb::dict values;
  for (const auto& [name, value] : map) values[Text(name)] = nb::cast(value, nb::rv_policy::copy);
  return nb::cast<ByName<T>>(values);
}

// One class of the module. Its objects cannot be made or changed in Python.
template <typename T>
class Struct {
 public:
  Struct(nb::module_& module, const char* name, const char* doc) : class_(module, name, doc) {}

  // A property with the value of a member: of T, or of what T derives from.
  template <typename Owner, typename Value>
  Struct& Has(const char* name, Value Owner::*member, const char* doc = "") {
    static_assert(std::is_base_of_v<Owner, T>);
    return Derives(
        name, [member](const T& self) { return ToPython(self.*member); }, doc);
  }

  template <typename Function>
  Struct& Derives(const char* name, Function function, const char* doc = "") {
    class_.def_prop_ro(name, std::move(function), doc);
    return *this;
  }

  // The fields of repr(), which are enough to recognize the object.
  Struct& Shows(std::vector<const char*> fields) {
    class_.def("__repr__", [fields = std::move(fields)](nb::handle self) {
      std::string text = nb::cast<std::string>(nb::type_name(self.type()));
      text = text.substr(text.rfind('.') + 1) + "(";
      for (const char* field : fields) {
        if (field != fields.front()) text += ", ";
        text += field + ("=" + std::string(nb::repr(nb::getattr(self, field)).c_str()));
      }
      return text + ")";
    });
    return *this;
  }

 private:
  nb::class_<T> class_;
};

// The rows of a list of `owner`, each as an object that keeps `owner` alive.
template <typename T, typename Owner>
Tuple<T> Rows(const std::shared_ptr<Owner>& owner, const std::vector<T>& rows) {
  nb::list list;
  for (const T& row : rows) {
    list.append(nb::cast(std::shared_ptr<T>(owner, const_cast<T*>(&row))));
  }
  return nb::cast<Tuple<T>>(nb::tuple(list));
}

}  // namespace prof::python

#endif  // PROF_PYTHON_SRC_VALUES_H_
