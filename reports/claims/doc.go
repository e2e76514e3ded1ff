// Package claims is the claims of the four papers as data, and the outcome of checking
// each.
//
//	ledger/*.yaml ──Load──► Ledger ──Select──► Claim ─────┐
//	                          │                           ├─Judge─► Judgement ─Result─┐
//	                          ├─ Readings  experiment ─► Measured                     ├─► Report ─► table, wide,
//	                          └─ Facts                    Unseen ─ Prediction ──────┘     │       markdown, csv, json
//	                                                                                        └─ Summary
//
// A claim is a statement of a paper with its value, unit and conditions, and a [Check]
// that decides; ledger/README.md describes the files. Every claim is expected to pass
// except those with known_failure, and those with undetermined: what is assumed decides
// whether they hold. An unexpected failure counts, and so does an unexpected pass. An
// experiment may measure at the ends of what it assumes ([Measured.Over]): a claim that is not
// the same there is undetermined. So is one whose run says that it tells nothing ([Measured.Undecided]), which
// is neither a failure nor a pass.
//
// The claim says what a pass may be called, not the experiment ([PassMeans]): a number in
// a wide band is within-band, a sign or an order is direction-only, and a number that was
// fed in is an input. A value that is predicted and not compared ([Unseen]) gets an interval and the
// constants below it.
//
// Each claim names what its verdict rests on ([Evidence]), and each result the chip or the
// reference program that ran ([Switch]). What no behaviour of the code can fail is arithmetic
// or an input, never reproduced. A check that a model without the effect meets too makes a
// claim of a direction at most (null_value, no_null and null_passes of the ledger). What no paper
// says (origin own) is counted apart.
//
// Duties of the caller:
//
//  1. Load the ledger and select from it.
//  2. Run the experiment of each claim, which returns a [Measured], or find that it
//     cannot be run ([NotRun], [Broken]).
//  3. Call [Claim.Judge] and [Claim.Result], in the order of the ledger.
//  4. Write the [Report], and look at what its [Report.Summary] has that was unexpected.
//
// Left out: running anything (package experiments), and the interval of a measured value,
// which is shown but not judged: the mean decides.
package claims
