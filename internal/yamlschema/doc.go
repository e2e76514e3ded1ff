// Package yamlschema makes a JSON Schema (draft 2020-12) of the Go types that a YAML file is decoded
// into, by github.com/invopop/jsonschema. Tests hold the schemas that the program ships equal to what
// it makes; the program itself does without.
//
// A schema tells editors which keys there are, what they mean, and what a quantity looks like. It knows
// less than the decoder: what fits together, and what names refer to, is checked by the program alone.
package yamlschema
