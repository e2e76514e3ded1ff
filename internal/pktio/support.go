package pktio

// Support says whether the kernel can do something, as far as could be found out. The
// zero value is Inconclusive.
type Support uint8

// What a probe answers. It is inconclusive where the probe itself failed, for
// want of a privilege or of an interface to try on.
const (
	Inconclusive Support = iota
	Yes
	No
)

// String returns the word for a report.
func (s Support) String() string {
	switch s {
	case Yes:
		return "yes"
	case No:
		return "no"
	}
	return "inconclusive"
}
