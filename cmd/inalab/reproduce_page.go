package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/experiments"
	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/nodes/hostmodel"
	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/claimreport"
	"github.com/inalab/inalab/reports/claims"
)

// writePage writes the record of the check, and the page that is made of it: into the directory, and where --html says.
func (r *reproduction) writePage(report claims.Report, m archive.Manifest, runErr error) error {
	record, err := r.record(report, runErr)
	if err != nil {
		return err
	}
	if err := record.Write(r.dir); err != nil {
		return err
	}
	past := r.dir.Past(m)
	p := claimreport.New(claimreport.NewSource(past, record))
	errs := []error{r.dir.Write(reportHTML, p.WriteHTML)}
	if r.flags.html != "" {
		var text bytes.Buffer
		if err := p.WriteHTML(&text); err != nil {
			return errors.Join(append(errs, err)...)
		}
		errs = append(errs, saveFile(streams{r.stdout, r.stderr}, "report", r.flags.html, text.Bytes()))
	}
	return errors.Join(errs...)
}

// record is all that the page is made of.
func (r *reproduction) record(report claims.Report, runErr error) (*claimreport.Record, error) {
	out := &claimreport.Record{
		Asked: append([]string{}, r.ids...), Quick: r.flags.quick, Varied: r.flags.sensitivity, Experiments: r.watch.kept,
		Constants: r.constants(experiment.Constants().All()), Notes: report.Notes,
	}
	if runErr != nil {
		out.Incomplete, _, _ = strings.Cut(runErr.Error(), "\n") // the first reason
	}
	for i := range report.Results {
		res := &report.Results[i]
		c := claimreport.NewClaim(res, r.ledger)
		if x := experiments.Find(r.list, res.ID); x != nil {
			c.Experiment = x.ID
		}
		c.Influences = influencesOn(res.ID, r.influences.List)
		out.Claims = append(out.Claims, c)
	}
	var err error
	out.Readings, err = r.keptReadings()
	return out, err
}

// constants are all that experiments may ask for, and which of this check did.
func (r *reproduction) constants(all []hostmodel.Constant) (out []claimreport.Constant) {
	for _, c := range all {
		k := claimreport.Constant{
			Name: c.Name, Value: claimreport.Digits(c.Value, c.Unit), Assumed: c.Assumed, Source: c.Source, UsedBy: r.watch.usersOf(c.Name),
		}
		if c.Assumed {
			k.Range = claimreport.Digits(c.Within().Low, "") + " to " + claimreport.Digits(c.Within().High, c.Unit)
		}
		out = append(out, k)
	}
	return out
}

// keptReadings are all ambiguities, how they are read, and which experiments asked.
func (r *reproduction) keptReadings() (out []claimreport.Reading, err error) {
	for _, a := range r.ledger.Ambiguities {
		choice := ""
		if len(a.Choices) > 0 {
			if choice, err = r.readings.Choice(a.ID); err != nil {
				return nil, err
			}
		}
		out = append(out, claimreport.Reading{
			ID: string(a.ID), Where: a.Where, Issue: a.Issue, Reading: a.Reading, Choice: choice, Default: a.Default,
			Choices: strings.Join(a.Choices, ", "), UsedBy: r.watch.usedBy(func(o experiments.Outcome) bool { return o.Took(a.ID) }),
		})
	}
	return out, nil
}

// usersOf lists the experiments that asked for a constant.
func (r *claimRecorder) usersOf(constant string) string {
	return r.usedBy(func(o experiments.Outcome) bool {
		return slices.ContainsFunc(o.Constants(), func(u hostmodel.Constant) bool { return u.Name == constant })
	})
}

// influencesOn are those of one claim, in words.
func influencesOn(id claims.ID, list []experiments.Influence) (out []claimreport.Influence) {
	number := func(x *float64) string {
		if x == nil {
			return ""
		}
		return claims.NumberValue(*x).String()
	}
	for i := range list {
		in := &list[i]
		if in.Claim != id {
			continue
		}
		k := claimreport.Influence{
			Part: in.Part, Constant: in.Constant.Name, Range: in.Range(), Low: number(in.At[0]), High: number(in.At[1]), Verdicts: in.VerdictAt,
		}
		if e := in.EffectText(); e != "" {
			k.Effect = fmt.Sprintf("%s%%", e)
		}
		out = append(out, k)
	}
	return out
}
