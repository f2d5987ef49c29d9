#include "dpbudget/fl/model/products.h"

namespace dpbudget::fl {

template <class Scalar>
void multiply(const Eigen::Ref<const RowMajor<Scalar>>& left, const Eigen::Ref<const RowMajor<Scalar>>& right,
              Eigen::Ref<RowMajor<Scalar>> out) {
  out.noalias() = left * right;
}

template <class Scalar>
void multiply_by_transposed(const Eigen::Ref<const RowMajor<Scalar>>& left,
                            const Eigen::Ref<const RowMajor<Scalar>>& right, Eigen::Ref<RowMajor<Scalar>> out) {
  out.noalias() = left * right.transpose();
}

template <class Scalar>
void multiply_transposed(const Eigen::Ref<const RowMajor<Scalar>>& left,
                         const Eigen::Ref<const RowMajor<Scalar>>& right, Eigen::Ref<RowMajor<Scalar>> out) {
  out.noalias() = left.transpose() * right;
}

template void multiply<float>(const Eigen::Ref<const RowMajor<float>>&, const Eigen::Ref<const RowMajor<float>>&,
                              Eigen::Ref<RowMajor<float>>);
template void multiply<double>(const Eigen::Ref<const RowMajor<double>>&, const Eigen::Ref<const RowMajor<double>>&,
                               Eigen::Ref<RowMajor<double>>);
template void multiply_by_transposed<float>(const Eigen::Ref<const RowMajor<float>>&,
                                            const Eigen::Ref<const RowMajor<float>>&, Eigen::Ref<RowMajor<float>>);
template void multiply_by_transposed<double>(const Eigen::Ref<const RowMajor<double>>&,
                                             const Eigen::Ref<const RowMajor<double>>&, Eigen::Ref<RowMajor<double>>);
template void multiply_transposed<float>(const Eigen::Ref<const RowMajor<float>>&,
                                         const Eigen::Ref<const RowMajor<float>>&, Eigen::Ref<RowMajor<float>>);
template void multiply_transposed<double>(const Eigen::Ref<const RowMajor<double>>&,
                                          const Eigen::Ref<const RowMajor<double>>&, Eigen::Ref<RowMajor<double>>);

}  // namespace dpbudget::fl
