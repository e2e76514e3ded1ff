package filter

import (
	_ "embed"

	"github.com/inalab/inalab/switchd/program/middlebox"
	"github.com/inalab/inalab/switchd/trio"
)

//go:embed filter.mc
var source string

// File is the name of the program's source.
const File = "filter.mc"

// Source returns the program.
func Source() string { return source }

// Names of the program's counters. Both counters have bytes, under their name and "-bytes".
const (
	DropFiltered = "filter-filtered"        // all packets that were dropped
	CountNotIP   = "filter-drop-cnt-base-0" // those that are not IPv4
	CountOptions = "filter-drop-cnt-base-1" // those with options, or of another version
)

// Config describes the PFE.
type Config struct {
	PFE middlebox.Config
}

// Engine is a PFE that filters. It meets dataplane.Engine.
type Engine struct{ *trio.PFE }

// New compiles the program and loads a PFE with it.
func New(cfg Config) (*Engine, error) {
	p, err := middlebox.Program{File: File, Text: source}.Load(cfg.PFE)
	if err != nil {
		return nil, err
	}
	return &Engine{p.PFE}, nil
}
