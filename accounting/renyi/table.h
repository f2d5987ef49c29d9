/// @file
/// Mechanisms of which somebody has said what their Rényi divergences are, at some orders.
#pragma once

#include "dpbudget/accounting/plan/table.h"
#include "dpbudget/accounting/renyi/curve.h"

namespace dpbudget::renyi {

/// At an order between two of the table's, or between 1 and one of them, the least that a chord says; above its last
/// one nothing is known.
/// @param divergences  of increasing orders, as ranges::divergences has them
/// @source accounting/renyi/proofs.md, 10.1
CurvePtr table_curve(const Table& divergences);

/// (rho, omega)-tCDP: rho times the order below omega, and nothing from there on.
/// @param rho    in [0, inf)
/// @param omega  above 1
/// @source Bun, Dwork, Rothblum, Steinke 2018, Definition 1
CurvePtr truncated_curve(double rho, double omega);

}  // namespace dpbudget::renyi
