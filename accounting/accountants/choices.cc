#include "dpbudget/accounting/accountants/choices.h"

#include <vector>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/base/nearest.h"

namespace dpbudget {

std::string accountant_choices(std::string_view given) {
  std::vector<std::string_view> names;
  for (const AccountantName one : all_accountants) names.push_back(to_string(one));
  return choices_for(given, names);
}

}  // namespace dpbudget
