package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/switchd/microcode"
	"github.com/inalab/inalab/switchd/microcode/isa"
)

func newMicrocode() *cobra.Command {
	c := &cobra.Command{
		Use:   "microcode",
		Short: "Compile, check, print and run Microcode programs of a Trio PFE",
		Long: `Works on programs for a Trio PFE in Microcode (docs/microcode.md): files of your own,
or by name those that come with inalab:

` + microcodeList() + `
An error names file, line and column, the rule that is broken and where it comes from.`,
	}
	c.AddCommand(newMicrocodeBuild(), newMicrocodeCheck(), newMicrocodeDump(), newMicrocodeRun())
	return c
}

func microcodeList() string {
	var b strings.Builder
	for _, p := range microcodePrograms() {
		fmt.Fprintf(&b, "  %-10s %s\n", p.name, p.about)
	}
	return b.String()
}

// addMachine adds the flags of what programs are compiled for.
func addMachine(c *cobra.Command) *isa.Machine {
	m := &isa.Machine{}
	c.Flags().IntVar(&m.AddBytes, "add-bytes", isa.AddBytes, "most bytes that one MemAdd32 takes: 4, 8, 16, 32 or 64")
	return m
}

func newMicrocodeBuild() *cobra.Command {
	var out string
	var m *isa.Machine
	c := &cobra.Command{
		Use:   "build PROGRAM",
		Short: "Compile a program into a file",
		Long: `Compiles a program into a file that dump prints again. The format is inalab's own:
how the chip encodes instructions is not published.`,
		Example: `  inalab microcode build mine.mc
  inalab microcode build trioml --output trioml.mcx`,
		Args: arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			p, err := loadMicrocodeFor(*m, args[0])
			if err != nil {
				return usage(err)
			}
			if out == "" {
				base := filepath.Base(args[0])
				out = strings.TrimSuffix(base, filepath.Ext(base)) + ".mcx"
			}
			if err := writeMicrocode(out, args[0], p); err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "%s: %s\n", out, microcodeSummary(p))
			return err
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", "file to write (default: the name of the program, with .mcx)")
	m = addMachine(c)
	return c
}

// writeMicrocode writes a compiled program, but never over what it was made of.
func writeMicrocode(out, source string, p *isa.Program) error {
	from, err := os.Stat(source)
	if to, err2 := os.Stat(out); err == nil && err2 == nil && os.SameFile(from, to) {
		return usage(fmt.Errorf("%s is the program itself; name another file with --output", out))
	}
	var b bytes.Buffer
	if err := p.Encode(&b); err != nil {
		return err
	}
	return usage(os.WriteFile(out, b.Bytes(), 0o644))
}

func newMicrocodeCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check PROGRAM...",
		Short: "Say whether programs compile",
		Args: func(c *cobra.Command, args []string) error {
			return arguments(1, max(1, len(args)))(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			var wrong []error
			for _, name := range args {
				p, err := loadMicrocode(name)
				if err != nil {
					wrong = append(wrong, err)
					continue
				}
				if _, err := fmt.Fprintf(c.OutOrStdout(), "%s: ok, %s\n", name, microcodeSummary(p)); err != nil {
					return err
				}
			}
			return usage(errors.Join(wrong...))
		},
	}
}

func newMicrocodeDump() *cobra.Command {
	var m *isa.Machine
	c := &cobra.Command{
		Use:   "dump PROGRAM",
		Short: "Print the instructions of a program and what each uses",
		Long: `Prints every instruction with its number, place in the source and the resources that
it uses, the entries, the symbols, and totals against the limits of the chip. Of Trio-ML
it also prints how many instructions its threads run, measured on packets.`,
		Example: `  inalab microcode dump trioml
  inalab microcode dump mine.mc`,
		Args: arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			p, err := loadMicrocodeFor(*m, args[0])
			if err != nil {
				return usage(err)
			}
			if _, err := io.WriteString(c.OutOrStdout(), p.Dump()); err != nil {
				return err
			}
			return measureMicrocode(c.OutOrStdout(), args[0], p)
		},
	}
	m = addMachine(c)
	return c
}

func microcodeSummary(p *isa.Program) string {
	t := p.Totals()
	instructions := "instructions"
	if t.Instructions == 1 {
		instructions = "instruction"
	}
	return fmt.Sprintf("%d %s, %d of %d registers, %d of %d bytes of LMEM",
		t.Instructions, instructions, t.Registers, isa.Registers, t.LMEMBytes, isa.LMEMBytes)
}

// loadMicrocode is loadMicrocodeFor the default machine.
func loadMicrocode(name string) (*isa.Program, error) {
	return loadMicrocodeFor(isa.Machine{}, name)
}

// loadMicrocodeFor returns a program by the name it has here, or from a file, as source
// or compiled. One that is compiled stays what it is.
func loadMicrocodeFor(m isa.Machine, name string) (*isa.Program, error) {
	for _, p := range microcodePrograms() {
		if p.name == name {
			return microcode.CompileFor(m, p.file, p.source)
		}
	}
	data, err := readMicrocode(name)
	if err != nil {
		return nil, err
	}
	if isa.Encoded(data) {
		p, err := isa.Decode(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return p, nil
	}
	return microcode.CompileFor(m, name, string(data))
}

// maxMicrocode bounds the file that is read, which the compiler then judges.
const maxMicrocode = 2 << 20

func readMicrocode(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, noMicrocode(name, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxMicrocode+1))
	if err == nil && len(data) > maxMicrocode {
		err = fmt.Errorf("%s: larger than %d MiB: this is no Microcode", name, maxMicrocode>>20)
	}
	return data, err
}

func noMicrocode(name string, err error) error {
	var names []string
	for _, p := range microcodePrograms() {
		names = append(names, p.name)
	}
	if strings.ContainsAny(name, "./") {
		return err
	}
	return fmt.Errorf("no file and no program %q%s", name, suggest.DidYouMean(name, names))
}
