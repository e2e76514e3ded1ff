// Package claims is what the four papers claim, as data, and what came of each
// claim when it was checked.
//
//	ledger/*.yaml ──Load──► Ledger ──Select──► Claim ─────┐
//	                          │                           ├─Judge─► Judgement ─Result─┐
//	                          ├─ Readings  experiment ─► Measured                     ├─► Report ─► table, wide,
//	                          └─ Facts                    Withheld ─ Prediction ──────┘     │       markdown, csv, json
//	                                                                                        └─ OK: exit 0 or 1
//
// A claim is a statement of a paper with its value, the unit, the conditions, how
// it is checked, and a [Check] that decides; ledger/README.md describes the
// files. Every claim is expected to pass, but for those with known_failure; an
// unexpected failure counts, and so does an unexpected pass.
//
// What a pass may be called is said by the claim and not by the experiment
// ([PassMeans]): a number in a wide band is within-band, a sign or an order is
// direction-only, and a number that was fed in is an input, which is shown
// nowhere as if it had come out. A claim that states another one again is
// counted and named below the table. A value that a paper withholds
// ([Withheld]) has nothing to be judged by: it gets an interval and the
// constants that the interval rests on.
//
// Whoever checks claims:
//
//  1. loads the ledger and selects from it;
//  2. runs the experiment of each claim, which returns a [Measured], or finds
//     that it cannot ([Claim.NeedsRoot], [Claim.NotYet], [Claim.Broken]);
//  3. calls [Claim.Judge] and [Claim.Result], in the order of the ledger;
//  4. writes the [Report] and asks it whether all is [Report.OK].
//
// The ledger is the papers' in its statements and values; checks follow the
// tolerance in words beside them, and one that is wider has a reason.
//
// # Left out
//
// Running anything: experiments belong to package experiments. An interval of a
// measured value is shown, and not used in judging: the mean decides.
package claims
