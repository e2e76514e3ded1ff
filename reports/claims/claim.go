package claims

import (
	_ "embed" // the list of papers
	"strings"
)

// ID names a claim, a fact or an ambiguity: the paper, the place in it and what
// is claimed there, joined by points: "trio.fig13.vgg11.p16".
type ID string

// Paper is a paper that the ledger has claims of.
type Paper string

//go:embed ledger/papers.txt
var papers string

// Words lists the papers in the order of the ledger.
func (Paper) Words() []string { return strings.Fields(papers) }

func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = string(w)
	}
	return out
}

// Method is how a claim is checked.
type Method string

// The methods.
const (
	Live    Method = "live"    // real packets over veth, rates scaled, ratios compared
	Virtual Method = "virtual" // deterministic virtual time at the papers' link rates
	Unit    Method = "unit"    // a computation, or a property of the protocol
	NoWay   Method = "none"    // not without the hardware or the data; How and Tolerance.Why say why
)

// Words lists the methods.
func (Method) Words() []string { return texts([]Method{Live, Virtual, Unit, NoWay}) }

// PassMeans is what a pass may be reported as.
type PassMeans string

// What a pass may mean.
const (
	MeansNumber          PassMeans = "number"            // the printed number is met
	MeansNumberCoarse    PassMeans = "number-coarse"     // it is met inside a wide band
	MeansNumberPartInput PassMeans = "number-part-input" // it is met, some columns being inputs
	MeansDirection       PassMeans = "direction"         // only sign, order or a loose bound: the number is not reproduced
	MeansProperty        PassMeans = "property"          // a rule holds
	MeansBound           PassMeans = "bound"             // a bound holds
	MeansArithmetic      PassMeans = "arithmetic"        // the number follows from other printed numbers
	MeansInput           PassMeans = "input"             // the number is fed in: a match would be circular
	MeansNotCheckable    PassMeans = "not-checkable"
)

var passMeanings = []PassMeans{
	MeansNumber, MeansNumberCoarse, MeansNumberPartInput, MeansDirection, MeansProperty, MeansBound, MeansArithmetic,
	MeansInput, MeansNotCheckable,
}

// Words lists what a pass may mean.
func (PassMeans) Words() []string { return texts(passMeanings) }

// Kind is the kind of what is claimed.
type Kind string

// The kinds.
const (
	KindProperty Kind = "property"
	KindRatio    Kind = "ratio"
	KindAbsolute Kind = "absolute"
	KindTable    Kind = "table"
	KindBound    Kind = "bound"
)

// Words lists the kinds.
func (Kind) Words() []string {
	return texts([]Kind{KindProperty, KindRatio, KindAbsolute, KindTable, KindBound})
}

// Origin is how a claim comes from its paper.
type Origin string

// The origins.
const (
	Stated              Origin = "stated"
	StatedQualitatively Origin = "stated-qualitatively"
	Implied             Origin = "implied"
	Inferred            Origin = "inferred"
	Own                 Origin = "own"                // of this project: no paper says it
	ScaledCounterpart   Origin = "scaled-counterpart" // live twin of a stated claim
)

// Words lists the origins.
func (Origin) Words() []string {
	return texts([]Origin{Stated, StatedQualitatively, Implied, Inferred, ScaledCounterpart, Own})
}

// Claim is one entry of the ledger. It is read only.
type Claim struct {
	ID         ID        `yaml:"id"`
	Paper      Paper     `yaml:"paper"`
	Where      string    `yaml:"where"` // section, figure or table
	Statement  string    `yaml:"statement"`
	Kind       Kind      `yaml:"kind"`
	Origin     Origin    `yaml:"origin"`
	Metric     string    `yaml:"metric"`
	Value      Value     `yaml:"value"` // as the paper prints it
	Unit       string    `yaml:"unit"`  // of Value, of what is measured, and of the numbers of Check; "-" for none
	Comparator string    `yaml:"comparator"`
	Conditions Fields    `yaml:"conditions"`
	Method     Method    `yaml:"method"`
	Evidence   Evidence  `yaml:"evidence,omitempty"` // what the verdict rests on; "" with method none alone
	How        string    `yaml:"how"`
	Tolerance  Tolerance `yaml:"tolerance"`
	Check      Check
	Reason     string    `yaml:"reason,omitempty"` // why Check is wider than Tolerance.Accept; "" where it is not
	PassMeans  PassMeans `yaml:"pass_means"`
	Difficulty int       `yaml:"difficulty"` // 1 (arithmetic) to 5 (hardware or data of a laboratory)
	Headline   bool      `yaml:"headline"`

	NullValue    Value         `yaml:"null_value,omitempty"`   // what is measured without the effect: a number, yes or no, or these by part
	NoNull       string        `yaml:"no_null,omitempty"`      // why nothing can be said of what is measured without it; NullValue is none then
	NullPasses   bool          `yaml:"null_passes,omitempty"`  // a model without the effect passes too: PassMeans is a direction then
	SameAs       []ID          `yaml:"same_as,omitempty"`      // claims that this one states again, or at another scale
	InputReason  string        `yaml:"input_reason,omitempty"` // which numbers are fed in, and why
	Note         string        `yaml:"note,omitempty"`
	KnownFailure *KnownFailure `yaml:"known_failure,omitempty"` // nil for a claim that is not expected to fail
	Undetermined *Declared     `yaml:"undetermined,omitempty"`  // nil for a claim that is expected to hold, or to fail, whatever is assumed
}

// Tolerance is what counts as a pass, in words. [Claim.Check] is what decides.
type Tolerance struct {
	Accept string `yaml:"accept"`
	Why    string `yaml:"why"`
}

// KnownFailure is why a claim is expected to fail.
type KnownFailure struct {
	Measured    Value  `yaml:"measured"`
	Reason      string `yaml:"reason"`
	QuickPasses bool   `yaml:"quick_passes,omitempty"` // it fails in full only: a quick run is expected to pass
}

// InQuick returns the claim as a quick run is to be judged by: expected to pass
// where the known failure is one of the full run alone.
func (c *Claim) InQuick() *Claim {
	if c.KnownFailure == nil || !c.KnownFailure.QuickPasses {
		return c
	}
	quick := *c
	quick.KnownFailure = nil
	return &quick
}

// Unseen is a value that is predicted and not compared: an experiment gives an interval,
// and nothing judges it.
type Unseen struct {
	ID        ID       `yaml:"id"`
	Paper     Paper    `yaml:"paper"`
	Where     string   `yaml:"where"`
	Statement string   `yaml:"statement"`
	Metric    string   `yaml:"metric"`
	Unit      string   `yaml:"unit"`
	Evidence  Evidence `yaml:"evidence"` // what the prediction rests on
	Needs     string   `yaml:"needs"`    // the systems or data without which there is no prediction
	How       string   `yaml:"how"`
}
