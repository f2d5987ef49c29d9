#include "dpbudget/tools/cli/page/bibliography.h"

#include <algorithm>
#include <array>
#include <utility>

namespace dpbudget::tools {
namespace {

constexpr std::array<std::string_view, 1> abadi_et_al_2016 = {"Abadi et al. 2016"};
constexpr std::array<std::string_view, 1> acharya_sun_zhang_2019 = {"Acharya, Sun, Zhang 2019"};
constexpr std::array<std::string_view, 1> balle_barthe_gaboardi_2018 = {"Balle, Barthe, Gaboardi 2018"};
constexpr std::array<std::string_view, 1> balle_bell_gascon_nissim_2019 = {"Balle, Bell, Gascon, Nissim 2019"};
constexpr std::array<std::string_view, 1> balle_et_al_2020 = {"Balle et al. 2020"};
constexpr std::array<std::string_view, 1> balle_wang_2018 = {"Balle, Wang 2018"};
constexpr std::array<std::string_view, 1> bretagnolle_huber_1979 = {"Bretagnolle, Huber 1979"};
constexpr std::array<std::string_view, 1> bu_dong_long_su_2020 = {"Bu, Dong, Long, Su 2020"};
constexpr std::array<std::string_view, 1> bun_dwork_rothblum_steinke_2018 = {"Bun, Dwork, Rothblum, Steinke 2018"};
constexpr std::array<std::string_view, 1> bun_steinke_2016 = {"Bun, Steinke 2016"};
constexpr std::array<std::string_view, 1> canonne_kamath_steinke_2020 = {"Canonne, Kamath, Steinke 2020"};
constexpr std::array<std::string_view, 1> cesar_rogers_2021 = {"Cesar, Rogers 2021"};
constexpr std::array<std::string_view, 2> chang_seif_tandon_2022 = {"Chang, Seif, Tandon 2022", "Chang et al. 2022"};
constexpr std::array<std::string_view, 1> charles_et_al_2024 = {"Charles et al. 2024"};
constexpr std::array<std::string_view, 1> chen_et_al_2024 = {"Chen et al. 2024"};
constexpr std::array<std::string_view, 1> cheu_joseph_mao_peng_2021 = {"Cheu, Joseph, Mao, Peng 2021"};
constexpr std::array<std::string_view, 1> chua_et_al_2024 = {"Chua et al. 2024"};
constexpr std::array<std::string_view, 1> clopper_pearson_1934 = {"Clopper, Pearson 1934"};
constexpr std::array<std::string_view, 1> dong_roth_su_2019 = {"Dong, Roth, Su 2019"};
constexpr std::array<std::string_view, 1> dwork_mcsherry_nissim_smith_2006 = {"Dwork, McSherry, Nissim, Smith 2006"};
constexpr std::array<std::string_view, 1> dwork_roth_2014 = {"Dwork, Roth 2014"};
constexpr std::array<std::string_view, 1> dwork_rothblum_vadhan_2010 = {"Dwork, Rothblum, Vadhan 2010"};
constexpr std::array<std::string_view, 1> erlingsson_pihur_korolova_2014 = {"Erlingsson, Pihur, Korolova 2014"};
constexpr std::array<std::string_view, 1> feldman_mcmillan_talwar_2021 = {"Feldman, McMillan, Talwar 2021"};
constexpr std::array<std::string_view, 1> feldman_mcmillan_talwar_2023 = {"Feldman, McMillan, Talwar 2023"};
constexpr std::array<std::string_view, 1> feldman_shenfeld_2025 = {"Feldman, Shenfeld 2025"};
constexpr std::array<std::string_view, 1> feldman_zrnic_2021 = {"Feldman, Zrnic 2021"};
constexpr std::array<std::string_view, 1> ghadimi_lan_2012 = {"Ghadimi, Lan 2012"};
constexpr std::array<std::string_view, 1> ghadimi_lan_2013 = {"Ghadimi, Lan 2013"};
constexpr std::array<std::string_view, 1> ghosh_roughgarden_sundararajan_2009 = {
    "Ghosh, Roughgarden, Sundararajan 2009"};
constexpr std::array<std::string_view, 1> girgis_data_diggavi_kairouz_suresh_2021 = {
    "Girgis, Data, Diggavi, Kairouz, Suresh 2021"};
constexpr std::array<std::string_view, 1> kairouz_oh_viswanath_2015 = {"Kairouz, Oh, Viswanath 2015"};
constexpr std::array<std::string_view, 1> koskela_redberg_wang_2024 = {"Koskela, Redberg, Wang 2024"};
constexpr std::array<std::string_view, 1> koskela_tobaben_honkela_2022 = {"Koskela, Tobaben, Honkela 2022"};
constexpr std::array<std::string_view, 1> lecuyer_2021 = {"Lécuyer 2021"};
constexpr std::array<std::string_view, 1> li_et_al_2020 = {"Li et al. 2020"};
constexpr std::array<std::string_view, 1> lowy_razaviyayn_2023 = {"Lowy, Razaviyayn 2023"};
constexpr std::array<std::string_view, 1> mironov_2017 = {"Mironov 2017"};
constexpr std::array<std::string_view, 1> mironov_talwar_zhang_2019 = {"Mironov, Talwar, Zhang 2019"};
constexpr std::array<std::string_view, 1> murtagh_vadhan_2016 = {"Murtagh, Vadhan 2016"};
constexpr std::array<std::string_view, 2> noble_bellet_dieuleveut_2022 = {"Noble, Bellet, Dieuleveut 2022",
                                                                          "Noble et al. 2022"};
constexpr std::array<std::string_view, 1> papernot_steinke_2022 = {"Papernot, Steinke 2022"};
constexpr std::array<std::string_view, 1> sason_verdu_2016 = {"Sason, Verdú 2016"};
constexpr std::array<std::string_view, 1> smith_thakurta_2022 = {"Smith, Thakurta 2022"};
constexpr std::array<std::string_view, 1> steinke_nasr_jagielski_2023 = {"Steinke, Nasr, Jagielski 2023"};
constexpr std::array<std::string_view, 1> takagi_liew_2026 = {"Takagi, Liew 2026"};
constexpr std::array<std::string_view, 1> vadhan_2017 = {"Vadhan 2017"};
constexpr std::array<std::string_view, 1> wang_balle_kasiviswanathan_2019 = {"Wang, Balle, Kasiviswanathan 2019"};
constexpr std::array<std::string_view, 1> wang_blocki_li_jha_2017 = {"Wang, Blocki, Li, Jha 2017"};
constexpr std::array<std::string_view, 1> wang_et_al_2023 = {"Wang et al. 2023"};
constexpr std::array<std::string_view, 1> wasserman_zhou_2010 = {"Wasserman, Zhou 2010"};
constexpr std::array<std::string_view, 1> whitehouse_ramdas_rogers_wu_2023 = {"Whitehouse, Ramdas, Rogers, Wu 2023"};
constexpr std::array<std::string_view, 1> ye_barg_2018 = {"Ye, Barg 2018"};
constexpr std::array<std::string_view, 2> zheng_chen_long_su_2021 = {"Zheng, Chen, Long, Su 2021", "Zheng et al. 2021"};
constexpr std::array<std::string_view, 1> zhu_dong_wang_2022 = {"Zhu, Dong, Wang 2022"};
constexpr std::array<std::string_view, 1> zhu_wang_2019 = {"Zhu, Wang 2019"};

constexpr std::array all = {
    Reference{abadi_et_al_2016,
              "M. Abadi, A. Chu, I. Goodfellow, H. B. McMahan, I. Mironov, K. Talwar, L. Zhang: Deep "
              "Learning with Differential Privacy. CCS 2016.",
              "https://arxiv.org/abs/1607.00133"},
    Reference{acharya_sun_zhang_2019,
              "J. Acharya, Z. Sun, H. Zhang: Hadamard Response: Estimating Distributions Privately, Efficiently, "
              "and with Little Communication. AISTATS 2019.",
              "https://arxiv.org/abs/1802.04705"},
    Reference{balle_barthe_gaboardi_2018,
              "B. Balle, G. Barthe, M. Gaboardi: Privacy Amplification by Subsampling: Tight Analyses via "
              "Couplings and Divergences. NeurIPS 2018.",
              "https://arxiv.org/abs/1807.01647"},
    Reference{balle_bell_gascon_nissim_2019,
              "B. Balle, J. Bell, A. Gascón, K. Nissim: The Privacy Blanket of the Shuffle Model. CRYPTO "
              "2019.",
              "https://arxiv.org/abs/1903.02837"},
    Reference{balle_et_al_2020,
              "B. Balle, G. Barthe, M. Gaboardi, J. Hsu, T. Sato: Hypothesis Testing Interpretations and "
              "Rényi Differential Privacy. AISTATS 2020.",
              "https://arxiv.org/abs/1905.09982"},
    Reference{balle_wang_2018,
              "B. Balle, Y.-X. Wang: Improving the Gaussian Mechanism for Differential Privacy: Analytical "
              "Calibration and Optimal Denoising. ICML 2018.",
              "https://arxiv.org/abs/1805.06530"},
    Reference{bretagnolle_huber_1979,
              "J. Bretagnolle, C. Huber: Estimation des densités: risque minimax. Zeitschrift für "
              "Wahrscheinlichkeitstheorie und verwandte Gebiete 47, 1979.",
              "https://doi.org/10.1007/BF00535278"},
    Reference{bu_dong_long_su_2020,
              "Z. Bu, J. Dong, Q. Long, W. J. Su: Deep Learning with Gaussian Differential Privacy. Harvard"
              " Data Science Review 2(3), 2020.",
              "https://arxiv.org/abs/1911.11607"},
    Reference{bun_dwork_rothblum_steinke_2018,
              "M. Bun, C. Dwork, G. N. Rothblum, T. Steinke: Composable and Versatile Privacy via Truncated"
              " CDP. STOC 2018.",
              "https://doi.org/10.1145/3188745.3188946"},
    Reference{bun_steinke_2016,
              "M. Bun, T. Steinke: Concentrated Differential Privacy: Simplifications, Extensions, and "
              "Lower Bounds. TCC 2016-B.",
              "https://arxiv.org/abs/1605.02065"},
    Reference{canonne_kamath_steinke_2020,
              "C. L. Canonne, G. Kamath, T. Steinke: The Discrete Gaussian for Differential Privacy. "
              "NeurIPS 2020.",
              "https://arxiv.org/abs/2004.00010"},
    Reference{cesar_rogers_2021,
              "M. Cesar, R. Rogers: Bounding, Concentrating, and Truncating: Unifying Privacy Loss "
              "Composition for Data Analytics. ALT 2021.",
              "https://arxiv.org/abs/2004.07223"},
    Reference{chang_seif_tandon_2022,
              "W.-T. Chang, M. Seif, R. Tandon: Differentially Private Federated Learning with Drift "
              "Control. CISS 2022.",
              "https://doi.org/10.1109/CISS53076.2022.9751200"},
    Reference{charles_et_al_2024,
              "Z. Charles, A. Ganesh, R. McKenna, H. B. McMahan, N. Mitchell, K. Pillutla, K. Rush: Fine-"
              "Tuning Large Language Models with User-Level Differential Privacy. 2024.",
              "https://arxiv.org/abs/2407.07737"},
    Reference{chen_et_al_2024,
              "L. Chen, X. Ding, Z. Bao, P. Zhou, H. Jin: Differentially Private Federated Learning on Non-"
              "iid Data: Convergence Analysis and Adaptive Optimization. IEEE Transactions on Knowledge and"
              " Data Engineering 36(9), 2024.",
              "https://doi.org/10.1109/TKDE.2024.3379001"},
    Reference{cheu_joseph_mao_peng_2021,
              "A. Cheu, M. Joseph, J. Mao, B. Peng: Shuffle Private Stochastic Convex Optimization. ICLR "
              "2022.",
              "https://arxiv.org/abs/2106.09805"},
    Reference{chua_et_al_2024,
              "L. Chua, B. Ghazi, P. Kamath, R. Kumar, P. Manurangsi, A. Sinha, C. Zhang: How Private are "
              "DP-SGD Implementations? ICML 2024.",
              "https://arxiv.org/abs/2403.17673"},
    Reference{clopper_pearson_1934,
              "C. J. Clopper, E. S. Pearson: The Use of Confidence or Fiducial Limits Illustrated in the "
              "Case of the Binomial. Biometrika 26 (4), 1934.",
              "https://doi.org/10.1093/biomet/26.4.404"},
    Reference{dong_roth_su_2019,
              "J. Dong, A. Roth, W. J. Su: Gaussian Differential Privacy. Journal of the Royal Statistical "
              "Society B 84(1), 2022.",
              "https://arxiv.org/abs/1905.02383"},
    Reference{dwork_mcsherry_nissim_smith_2006,
              "C. Dwork, F. McSherry, K. Nissim, A. Smith: Calibrating Noise to Sensitivity in Private Data"
              " Analysis. TCC 2006.",
              "https://doi.org/10.1007/11681878_14"},
    Reference{dwork_roth_2014,
              "C. Dwork, A. Roth: The Algorithmic Foundations of Differential Privacy. Foundations and "
              "Trends in Theoretical Computer Science 9(3-4), 2014.",
              "https://doi.org/10.1561/0400000042"},
    Reference{dwork_rothblum_vadhan_2010,
              "C. Dwork, G. N. Rothblum, S. Vadhan: Boosting and Differential Privacy. FOCS 2010.",
              "https://doi.org/10.1109/FOCS.2010.12"},
    Reference{erlingsson_pihur_korolova_2014,
              "Ú. Erlingsson, V. Pihur, A. Korolova: RAPPOR: Randomized Aggregatable Privacy-Preserving Ordinal "
              "Response. CCS 2014.",
              "https://arxiv.org/abs/1407.6981"},
    Reference{feldman_mcmillan_talwar_2021,
              "V. Feldman, A. McMillan, K. Talwar: Hiding Among the Clones: A Simple and Nearly Optimal "
              "Analysis of Privacy Amplification by Shuffling. FOCS 2021.",
              "https://arxiv.org/abs/2012.12803"},
    Reference{feldman_mcmillan_talwar_2023,
              "V. Feldman, A. McMillan, K. Talwar: Stronger Privacy Amplification by Shuffling for Rényi "
              "and Approximate Differential Privacy. SODA 2023.",
              "https://arxiv.org/abs/2208.04591"},
    Reference{feldman_shenfeld_2025, "V. Feldman, M. Shenfeld: Privacy Amplification by Random Allocation. 2025.",
              "https://arxiv.org/abs/2502.08202"},
    Reference{feldman_zrnic_2021,
              "V. Feldman, T. Zrnic: Individual Privacy Accounting via a Rényi Filter. NeurIPS 2021.",
              "https://arxiv.org/abs/2008.11193"},
    Reference{ghadimi_lan_2012,
              "S. Ghadimi, G. Lan: Optimal Stochastic Approximation Algorithms for Strongly Convex "
              "Stochastic Composite Optimization I. SIAM Journal on Optimization 22(4), 2012.",
              "https://doi.org/10.1137/110848864"},
    Reference{ghadimi_lan_2013,
              "S. Ghadimi, G. Lan: Optimal Stochastic Approximation Algorithms for Strongly Convex "
              "Stochastic Composite Optimization II. SIAM Journal on Optimization 23(4), 2013.",
              "https://doi.org/10.1137/110848876"},
    Reference{ghosh_roughgarden_sundararajan_2009,
              "A. Ghosh, T. Roughgarden, M. Sundararajan: Universally Utility-Maximizing Privacy "
              "Mechanisms. STOC 2009.",
              "https://arxiv.org/abs/0811.2841"},
    Reference{girgis_data_diggavi_kairouz_suresh_2021,
              "A. M. Girgis, D. Data, S. Diggavi, A. T. Suresh, P. Kairouz: On the Rényi Differential "
              "Privacy of the Shuffle Model. CCS 2021.",
              "https://arxiv.org/abs/2105.05180"},
    Reference{kairouz_oh_viswanath_2015,
              "P. Kairouz, S. Oh, P. Viswanath: The Composition Theorem for Differential Privacy. ICML "
              "2015.",
              "https://arxiv.org/abs/1311.0776"},
    Reference{koskela_redberg_wang_2024,
              "A. Koskela, R. Redberg, Y.-X. Wang: Privacy Profiles for Private Selection. ICML 2024.",
              "https://arxiv.org/abs/2402.06701"},
    Reference{koskela_tobaben_honkela_2022,
              "A. Koskela, M. Tobaben, A. Honkela: Individual Privacy Accounting with Gaussian Differential Privacy. "
              "ICLR 2023.",
              "https://arxiv.org/abs/2209.15596"},
    Reference{lecuyer_2021,
              "M. Lécuyer: Practical Privacy Filters and Odometers with Rényi Differential Privacy. 2021.",
              "https://arxiv.org/abs/2103.01379"},
    Reference{li_et_al_2020,
              "T. Li, A. K. Sahu, M. Zaheer, M. Sanjabi, A. Talwalkar, V. Smith: Federated Optimization in "
              "Heterogeneous Networks. MLSys 2020.",
              "https://arxiv.org/abs/1812.06127"},
    Reference{lowy_razaviyayn_2023,
              "A. Lowy, M. Razaviyayn: Private Federated Learning Without a Trusted Server: Optimal "
              "Algorithms for Convex Losses. ICLR 2023.",
              "https://arxiv.org/abs/2106.09779"},
    Reference{mironov_2017, "I. Mironov: Rényi Differential Privacy. CSF 2017.", "https://arxiv.org/abs/1702.07476"},
    Reference{mironov_talwar_zhang_2019,
              "I. Mironov, K. Talwar, L. Zhang: Rényi Differential Privacy of the Sampled Gaussian "
              "Mechanism. 2019.",
              "https://arxiv.org/abs/1908.10530"},
    Reference{murtagh_vadhan_2016,
              "J. Murtagh, S. Vadhan: The Complexity of Computing the Optimal Composition of Differential "
              "Privacy. TCC 2016-A.",
              "https://arxiv.org/abs/1507.03113"},
    Reference{noble_bellet_dieuleveut_2022,
              "M. Noble, A. Bellet, A. Dieuleveut: Differentially Private Federated Learning on "
              "Heterogeneous Data. AISTATS 2022.",
              "https://arxiv.org/abs/2111.09278"},
    Reference{papernot_steinke_2022,
              "N. Papernot, T. Steinke: Hyperparameter Tuning with Rényi Differential Privacy. ICLR 2022.",
              "https://arxiv.org/abs/2110.03620"},
    Reference{sason_verdu_2016,
              "I. Sason, S. Verdú: f-Divergence Inequalities. IEEE Transactions on Information Theory "
              "62(11), 2016.",
              "https://arxiv.org/abs/1508.00335"},
    Reference{smith_thakurta_2022,
              "A. Smith, A. Thakurta: Fully Adaptive Composition for Gaussian Differential Privacy. 2022.",
              "https://arxiv.org/abs/2210.17520"},
    Reference{steinke_nasr_jagielski_2023,
              "T. Steinke, M. Nasr, M. Jagielski: Privacy Auditing with One (1) Training Run. NeurIPS 2023.",
              "https://arxiv.org/abs/2305.08846"},
    Reference{takagi_liew_2026,
              "S. Takagi, S. P. Liew: Analysis of Shuffling Beyond Pure Local Differential Privacy. 2026.",
              "https://arxiv.org/abs/2601.19154"},
    Reference{vadhan_2017,
              "S. Vadhan: The Complexity of Differential Privacy. In: Tutorials on the Foundations of "
              "Cryptography, Springer 2017.",
              "https://doi.org/10.1007/978-3-319-57048-8_7"},
    Reference{wang_balle_kasiviswanathan_2019,
              "Y.-X. Wang, B. Balle, S. P. Kasiviswanathan: Subsampled Rényi Differential Privacy and "
              "Analytical Moments Accountant. AISTATS 2019.",
              "https://arxiv.org/abs/1808.00087"},
    Reference{wang_blocki_li_jha_2017,
              "T. Wang, J. Blocki, N. Li, S. Jha: Locally Differentially Private Protocols for Frequency "
              "Estimation. USENIX Security 2017.",
              "https://www.usenix.org/conference/usenixsecurity17/technical-sessions/presentation/wang-tianhao"},
    Reference{wang_et_al_2023,
              "S. Wang, Y. Peng, J. Li, Z. Wen, Z. Li, S. Yu, D. Wang, W. Yang: Privacy Amplification via "
              "Shuffling: Unified, Simplified, and Tightened. VLDB 2024.",
              "https://arxiv.org/abs/2304.05007"},
    Reference{wasserman_zhou_2010,
              "L. Wasserman, S. Zhou: A Statistical Framework for Differential Privacy. Journal of the "
              "American Statistical Association 105, 2010.",
              "https://arxiv.org/abs/0811.2501"},
    Reference{whitehouse_ramdas_rogers_wu_2023,
              "J. Whitehouse, A. Ramdas, R. Rogers, Z. S. Wu: Fully Adaptive Composition in Differential Privacy. ICML "
              "2023.",
              "https://arxiv.org/abs/2203.05481"},
    Reference{ye_barg_2018,
              "M. Ye, A. Barg: Optimal Schemes for Discrete Distribution Estimation Under Locally "
              "Differential Privacy. IEEE Transactions on Information Theory 64(8), 2018.",
              "https://arxiv.org/abs/1702.00610"},
    Reference{zheng_chen_long_su_2021,
              "Q. Zheng, S. Chen, Q. Long, W. J. Su: Federated f-Differential Privacy. AISTATS 2021.",
              "https://arxiv.org/abs/2102.11158"},
    Reference{zhu_dong_wang_2022,
              "Y. Zhu, J. Dong, Y.-X. Wang: Optimal Accounting of Differential Privacy via Characteristic "
              "Function. AISTATS 2022.",
              "https://arxiv.org/abs/2106.08567"},
    Reference{zhu_wang_2019, "Y. Zhu, Y.-X. Wang: Poisson Subsampled Rényi Differential Privacy. ICML 2019.",
              "https://proceedings.mlr.press/v97/zhu19c.html"},
};

}  // namespace

std::span<const Reference> bibliography() { return all; }

std::vector<const Reference*> references_of(std::string_view statement) {
  std::vector<std::pair<std::size_t, const Reference*>> found;
  for (const Reference& reference : all)
    for (const std::string_view key : reference.keys)
      if (const std::size_t at = statement.find(key); at != std::string_view::npos) {
        found.emplace_back(at, &reference);
        break;
      }
  std::ranges::sort(found);
  std::vector<const Reference*> cited;
  for (const auto& [at, reference] : found) cited.push_back(reference);
  return cited;
}

}  // namespace dpbudget::tools
