package claims

import (
	"fmt"
	"math"
)

// Verdict is what came of a claim.
type Verdict string

// The verdicts.
const (
	Reproduced    Verdict = "reproduced"     // the number, rule or bound holds
	WithinBand    Verdict = "within-band"    // the number is inside a wide band
	DirectionOnly Verdict = "direction-only" // sign, order or loose bound hold; the number is not reproduced
	ByArithmetic  Verdict = "arithmetic"     // it follows from printed numbers; no behaviour of the code can fail it
	Input         Verdict = "input"          // the number was fed in; that it matches says nothing
	Predicted     Verdict = "predicted"      // predicted, not compared
	Undetermined  Verdict = "undetermined"   // what is assumed decides whether it holds, or the run did not tell
	NotReproduced Verdict = "not-reproduced"
	KnownFail     Verdict = "known-failure" // not reproduced, as the ledger says, with the reason
	NotCheckable  Verdict = "not-checkable" // not without hardware or data
	NeedsRoot     Verdict = "needs-root"    // a live claim, and no privileges
	NotYet        Verdict = "not-yet"       // a system that is not built
)

// Verdicts lists the verdicts in the order of summaries.
var Verdicts = []Verdict{
	Reproduced, WithinBand, DirectionOnly, ByArithmetic, Input, Predicted, Undetermined, NotReproduced, KnownFail, NotCheckable, NeedsRoot, NotYet,
}

// Judgement is a verdict and why.
type Judgement struct {
	Measured Measured // zero where nothing was
	Pass     bool     // the check was met
	Verdict  Verdict
	Reason   string // one line
	Expected bool   // false is what ends a command with exit code 1
}

// Judge holds a measured value against the check of the claim. A claim that
// nothing can check is not-checkable whatever was measured.
func (c *Claim) Judge(m Measured) Judgement {
	if c.Method == NoWay {
		return c.NotCheckable()
	}
	pass, why := c.Check.Meets(m)
	if j, ok := c.undetermined(m, pass, why); ok {
		return j
	}
	j := Judgement{Measured: m, Pass: pass, Reason: why, Expected: pass == (c.KnownFailure == nil)}
	switch {
	case pass:
		j.Verdict = c.PassMeans.verdict()
		if j.Verdict == Input {
			j.Reason = c.InputReason // and not the number
		}
		if c.KnownFailure != nil {
			j.Reason = fmt.Sprintf("passes unexpectedly: %s; known_failure says %s, %s", why, c.KnownFailure.Measured, c.KnownFailure.Reason)
		}
	case c.KnownFailure != nil:
		j.Verdict = KnownFail
		j.Reason = c.KnownFailure.Reason + ": " + why
	default:
		j.Verdict = NotReproduced
	}
	if c.Undetermined != nil {
		j.Reason, j.Expected = c.Undetermined.determined(m, why), false
	}
	return j
}

// verdict is what a pass is reported as.
func (p PassMeans) verdict() Verdict {
	switch p {
	case MeansNumberCoarse:
		return WithinBand
	case MeansDirection:
		return DirectionOnly
	case MeansArithmetic:
		return ByArithmetic
	case MeansInput:
		return Input
	case MeansNotCheckable:
		return NotCheckable
	}
	return Reproduced
}

// NotCheckable says why the claim cannot be checked: its how and why.
func (c *Claim) NotCheckable() Judgement {
	return NotRun(NotCheckable, c.How+": "+c.Tolerance.Why)
}

// NotRun says that there was no experiment: [NeedsRoot] for want of privileges, where
// why is what stands in the way, or [NotYet], where why names the system that is not built.
func NotRun(v Verdict, why string) Judgement {
	return Judgement{Verdict: v, Reason: why, Expected: true}
}

// Broken says that the experiment ended with an error. That is never expected,
// not even of a claim that is known to fail.
func Broken(err error) Judgement {
	return Judgement{Verdict: NotReproduced, Reason: "the experiment failed: " + err.Error()}
}

// Prediction is what an experiment says of an [Unseen] value.
type Prediction struct {
	Low, High float64 // of the interval; finite, Low <= High
	Model     string
	Reading   string
	Constants []string // assumed constants that it rests on; one or more
	Note      string
}

func (p Prediction) validate() error {
	switch {
	case math.IsNaN(p.Low+p.High) || math.IsInf(p.Low, 0) || math.IsInf(p.High, 0) || p.Low > p.High:
		return fmt.Errorf("interval %v to %v is none", p.Low, p.High)
	case len(p.Constants) == 0:
		return fmt.Errorf("a prediction names the constants that it rests on")
	}
	return nil
}
