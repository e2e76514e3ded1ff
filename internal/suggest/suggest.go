package suggest

import (
	"fmt"
	"slices"
	"strings"
)

// maxWord bounds the words that are compared; a longer one is no typing error.
const maxWord = 64

// Nearest returns the candidate that the fewest edits turn the word into: of several the
// first that has the word's letters in another order, else the first. ok is false where
// none is near.
func Nearest(word string, candidates []string) (near string, ok bool) {
	if len(word) > maxWord {
		return "", false
	}
	plain := fold(word)
	fewest := (len(plain)+2)/3 + 1 // one more than is near
	mixed := true                  // the nearest so far has the word's letters
	for _, c := range candidates {
		other := fold(c)
		d, same := edits(plain, other), sorted(other) == sorted(plain)
		// What shares nothing with the word is not near, however short both are.
		if d < max(len(plain), len(other)) && (d < fewest || d == fewest && same && !mixed) {
			near, fewest, mixed, ok = c, d, same, true
		}
	}
	return near, ok
}

// Slip returns the candidate that a slip of the hand makes the word: one edit, or letters in another order. A word
// of one or two bytes is none.
func Slip(word string, candidates []string) (near string, ok bool) {
	const leastWord = 3
	plain := fold(word)
	if len(plain) < leastWord || len(word) > maxWord {
		return "", false
	}
	near, ok = Nearest(word, candidates)
	other := fold(near)
	return near, ok && (edits(plain, other) <= 1 || sorted(plain) == sorted(other))
}

// DidYouMean returns the end of an error, `; did you mean "x"?`, or "" where no
// candidate is near.
func DidYouMean(word string, candidates []string) string {
	near, ok := Nearest(word, candidates)
	if !ok {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", near)
}

// fold takes away what two spellings of one word differ in.
func fold(word string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(word))
}

// sorted returns the letters of a word in order.
func sorted(word string) string {
	b := []byte(word)
	slices.Sort(b)
	return string(b)
}

// edits counts the bytes to insert, delete or replace to turn a into b, one row
// of the table at a time.
func edits(a, b string) int {
	row := make([]int, len(b)+1) // of each b[:j] to a[:i]
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
