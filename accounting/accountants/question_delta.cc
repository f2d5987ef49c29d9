#include "dpbudget/accounting/accountants/question_delta.h"

#include "dpbudget/accounting/base/require.h"

namespace dpbudget {

void check_question_delta(double delta) { require(0 <= delta && delta < 1, "delta", delta, "in [0, 1)"); }

}  // namespace dpbudget
