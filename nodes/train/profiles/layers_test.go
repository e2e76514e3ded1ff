package profiles

import (
	"math"
	"testing"
)

// TestTensorsSumToParams holds each layer list to the published count, and the
// synthetic ones to theirs.
func TestTensorsSumToParams(t *testing.T) {
	for _, p := range All() {
		list, public := p.Tensors()
		sum := 0
		names := map[string]bool{}
		for _, x := range list {
			sum += x.Params
			if x.Params <= 0 || x.MACs < 0 || names[x.Name] {
				t.Errorf("%s: tensor %+v is empty or there twice", p.Name, x)
			}
			names[x.Name] = true
		}
		if sum != p.Params {
			t.Errorf("%s: tensors have %d parameters, published are %d", p.Name, sum, p.Params)
		}
		if public != (p.Architecture != "") || !public && len(list) != SyntheticTensors {
			t.Errorf("%s: %d tensors, public %t, architecture %q", p.Name, len(list), public, p.Architecture)
		}
	}
}

// TestArithmetic holds the layer lists to the GMACs (there called GFLOPS) and
// tensor counts of the torchvision 0.15 model list. The list's Inception has no
// auxiliary classifier, which is two normalised convolutions and a
// fully connected layer more (8 tensors), at about 5 MMAC.
func TestArithmetic(t *testing.T) {
	for _, c := range []struct {
		name    string
		gmacs   float64
		tensors int
	}{
		{"alexnet", 0.71, 16}, {"vgg11", 7.61, 22}, {"vgg16", 15.47, 32}, {"vgg19", 19.63, 38},
		{"resnet50", 4.09, 161}, {"resnet101", 7.80, 314}, {"resnet152", 11.51, 467},
		{"densenet161", 7.73, 484}, {"inception-v3", 5.71, 292},
	} {
		p, err := Lookup(c.name)
		if err != nil {
			t.Fatal(err)
		}
		list, _ := p.Tensors()
		var macs int64
		for _, x := range list {
			macs += x.MACs
		}
		if got := float64(macs) / 1e9; math.Abs(got-c.gmacs) > 0.01 {
			t.Errorf("%s: %.3f GMAC, published are %.2f", c.name, got, c.gmacs)
		}
		if len(list) != c.tensors {
			t.Errorf("%s: %d tensors, published are %d", c.name, len(list), c.tensors)
		}
	}
}

// TestShapes picks layers whose shapes the architectures' papers print.
func TestShapes(t *testing.T) {
	for _, c := range []struct {
		model string
		want  Tensor
	}{
		{"vgg19", Tensor{"classifier.0.weight", 512 * 7 * 7 * 4096, 512 * 7 * 7 * 4096}},
		{"vgg11", Tensor{"conv.0.weight", 64 * 3 * 9, 64 * 3 * 9 * 224 * 224}},
		{"alexnet", Tensor{"conv.0.weight", 64 * 3 * 121, 64 * 3 * 121 * 55 * 55}},
		{"resnet50", Tensor{"fc.weight", 2048 * 1000, 2048 * 1000}},
		{"resnet50", Tensor{"layer3.0.downsample.0.weight", 512 * 1024, 512 * 1024 * 14 * 14}},
		{"resnet152", Tensor{"layer3.35.conv2.weight", 256 * 256 * 9, 256 * 256 * 9 * 14 * 14}},
		{"densenet161", Tensor{"classifier.weight", 2208 * 1000, 2208 * 1000}},
		{"inception-v3", Tensor{"mixed7c.3x3_2a.conv.weight", 384 * 384 * 3, 384 * 384 * 3 * 8 * 8}},
		{"ssd", Tensor{"conf.0.weight", 1024 * 4 * 81 * 9, 1024 * 4 * 81 * 9 * 38 * 38}},
		{"ssd", Tensor{"conf.5.weight", 256 * 4 * 81 * 9, 256 * 4 * 81 * 9}},
		{"bert", Tensor{"embeddings.word", 30522 * 1024, 0}},
		{"ncf", Tensor{"mlp.user", 138493 * 128, 0}},
	} {
		p, err := Lookup(c.model)
		if err != nil {
			t.Fatal(err)
		}
		list, _ := p.Tensors()
		found := false
		for _, x := range list {
			if x.Name == c.want.Name {
				found = true
				if x != c.want {
					t.Errorf("%s: %+v, want %+v", c.model, x, c.want)
				}
			}
		}
		if !found {
			t.Errorf("%s has no tensor %s", c.model, c.want.Name)
		}
	}
}
