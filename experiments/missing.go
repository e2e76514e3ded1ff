package experiments

import (
	"strings"

	"github.com/inalab/inalab/reports/claims"
)

// missing says what claims wait for that no experiment measures, by id or by
// what ids begin with; the first that fits counts.
var missing = []struct{ prefix, waitsFor string }{}

// waitsFor returns what a claim waits for.
func waitsFor(id claims.ID) string {
	for _, m := range missing {
		if string(id) == m.prefix || strings.HasPrefix(string(id), m.prefix+".") {
			return m.waitsFor
		}
	}
	return ""
}
