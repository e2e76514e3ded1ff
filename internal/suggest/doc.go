// Package suggest guesses which of the allowed words a mistyped word was meant to
// be, for errors that name an unknown word:
//
//	unknown topology "leafspine": allowed are rack, leaf-spine; did you mean "leaf-spine"?
//	                  ---- word                ---- candidates  --------------- DidYouMean
//
// Two words are near if few insertions, deletions and replacements of a byte lie
// between them (Levenshtein, "Binary codes capable of correcting deletions,
// insertions, and reversals", 1966). The limit is one edit for every three bytes
// of the word, rounded up (assumed): two swapped letters, which are two edits, pass
// in a word of four. Case, hyphens, underscores and spaces do not count.
//
// Left out: abbreviations, and the program's commands and flags, which cobra guesses.
package suggest
