// Package suggest guesses which of the allowed words a mistyped one was meant
// to be, for the errors that name what is unknown:
//
//	unknown topology "leafspine": allowed are rack, leaf-spine; did you mean "leaf-spine"?
//	                  ---- word                ---- candidates  --------------- DidYouMean
//
// Near is what takes few insertions, deletions and replacements of a byte
// (Levenshtein, "Binary codes capable of correcting deletions, insertions, and
// reversals", 1966): at most one for every three bytes of the word, rounded up,
// so that the two of a swapped pair are allowed in a word of four (threshold
// assumed). Case, hyphens, underscores and spaces are not counted.
//
// # Left out
//
// Abbreviations are not expanded, and two swapped letters count as two edits.
// The commands and flags of the program are guessed by cobra, which takes
// prefixes as well.
package suggest
