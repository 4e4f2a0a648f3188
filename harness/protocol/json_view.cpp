#include "harness/protocol/json_view.hpp"

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <nlohmann/json.hpp>

namespace bench::protocol {

using nlohmann::ordered_json;

bool JsonView::is_object() const {
  return quick_ != nullptr ? quick_->IsObject() : thorough_->is_object();
}

bool JsonView::is_array() const {
  return quick_ != nullptr ? quick_->IsArray() : thorough_->is_array();
}

bool JsonView::is_string() const {
  return quick_ != nullptr ? quick_->IsString() : thorough_->is_string();
}

bool JsonView::is_boolean() const {
  return quick_ != nullptr ? quick_->IsBool() : thorough_->is_boolean();
}

bool JsonView::is_number() const {
  return quick_ != nullptr ? quick_->IsNumber() : thorough_->is_number();
}

bool JsonView::is_number_integer() const {
  return quick_ != nullptr ? quick_->IsInt64() || quick_->IsUint64() : thorough_->is_number_integer();
}

bool JsonView::boolean() const {
  return quick_ != nullptr ? quick_->GetBool() : thorough_->get<bool>();
}

double JsonView::real() const {
  return quick_ != nullptr ? quick_->GetDouble() : thorough_->get<double>();
}

std::string_view JsonView::text() const {
  if (quick_ != nullptr) return {quick_->GetString(), quick_->GetStringLength()};
  return thorough_->get_ref<const std::string&>();
}

std::optional<std::uint64_t> JsonView::whole_and_positive() const {
  if (quick_ != nullptr) return quick_->IsUint64() ? std::optional(quick_->GetUint64()) : std::nullopt;
  return thorough_->is_number_unsigned() ? std::optional(thorough_->get<std::uint64_t>()) : std::nullopt;
}

std::int64_t JsonView::whole() const {
  return quick_ != nullptr ? quick_->GetInt64() : thorough_->get<std::int64_t>();
}

std::size_t JsonView::size() const {
  if (quick_ == nullptr) return thorough_->size();
  return quick_->IsObject() ? quick_->MemberCount() : quick_->Size();
}

JsonView JsonView::operator[](std::size_t index) const {
  if (quick_ != nullptr)
    return quick_->IsObject() ? (quick_->MemberBegin() + static_cast<std::ptrdiff_t>(index))->value
                              : (*quick_)[static_cast<rapidjson::SizeType>(index)];
  if (thorough_->is_object())
    return thorough_->get_ref<const ordered_json::object_t&>()
        .begin()[static_cast<std::ptrdiff_t>(index)]
        .second;
  return (*thorough_)[index];
}

std::string_view JsonView::name(std::size_t index) const {
  if (quick_ != nullptr)
    return JsonView((quick_->MemberBegin() + static_cast<std::ptrdiff_t>(index))->name).text();
  return thorough_->get_ref<const ordered_json::object_t&>()
      .begin()[static_cast<std::ptrdiff_t>(index)]
      .first;
}

std::optional<JsonView> JsonView::find(std::string_view name) const {
  for (std::size_t i = 0; i < size(); ++i)
    if (this->name(i) == name) return (*this)[i];
  return std::nullopt;
}

std::string JsonView::found() const {
  if (is_object()) return "an object";
  if (is_array()) return "an array";
  if (is_string()) return "a string";
  if (is_boolean()) return "a boolean";
  return is_number() ? "the number " + dump() : "null";
}

std::string JsonView::dump() const {
  if (quick_ == nullptr) return thorough_->dump();
  rapidjson::StringBuffer text;
  rapidjson::Writer writer(text);
  quick_->Accept(writer);
  return text.GetString();
}

}  // namespace bench::protocol
