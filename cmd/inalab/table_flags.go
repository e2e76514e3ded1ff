package main

import (
	"io"

	"github.com/spf13/pflag"

	"github.com/inalab/inalab/reports/render"
)

// tableFlags are the options of commands whose answer is a table.
type tableFlags struct{ format string }

func (f *tableFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.format, "format", "table", "of standard output: "+formats())
}

// options says how a table is written to w. "md" is short for markdown.
func (f tableFlags) options(w io.Writer) (render.Options, error) {
	o := tableOptions(w)
	if f.format == "md" {
		o.Format = render.FormatMarkdown
		return o, nil
	}
	var err error
	if o.Format, err = render.ParseFormat(f.format); err != nil {
		return o, usage(err)
	}
	return o, nil
}

// forPrograms reports whether a program is to read the answer.
func (f tableFlags) forPrograms() bool {
	return f.format == string(render.FormatJSON) || f.format == string(render.FormatCSV)
}
