package profiles

import "fmt"

// resnet returns a bottleneck ResNet for 224x224 images (He et al., "Deep
// Residual Learning for Image Recognition", CVPR 2016) with so many blocks in
// its four stages, in torchvision's variant, which halves in the 3x3
// convolution. The variants do not differ in tensors, only in arithmetic.
func resnet(blocks [4]int) []Tensor {
	n := network{channels: 3, side: 224}
	n.stem()
	for stage, count := range blocks {
		n.stage(stage, count, min(stage+1, 2))
	}
	n.pool(n.side, 1, 0)
	n.linear("fc", classes)
	return n.tensors
}

// stem appends the 7x7 convolution and the pooling before the first stage.
func (n *network) stem() {
	n.convolve(conv{name: "conv1", out: 64, height: 7, stride: 2, pad: 3, norm: "bn1"})
	n.pool(3, 2, 1)
}

// stage appends a stage of bottleneck blocks, the first of them with a stride
// and with a projection of its input.
func (n *network) stage(stage, blocks, stride int) {
	width := 64 << stage
	for b := range blocks {
		at := fmt.Sprintf("layer%d.%d", stage+1, b)
		in, side, step := n.channels, n.side, 1
		if b == 0 {
			step = stride
		}
		n.convolve(conv{name: at + ".conv1", out: width, height: 1, norm: at + ".bn1"})
		n.convolve(conv{name: at + ".conv2", out: width, height: 3, stride: step, pad: 1, norm: at + ".bn2"})
		n.convolve(conv{name: at + ".conv3", out: 4 * width, height: 1, norm: at + ".bn3"})
		if b == 0 {
			n.channels, n.side = in, side
			n.convolve(conv{name: at + ".downsample.0", out: 4 * width, height: 1, stride: step, norm: at + ".downsample.1"})
		}
	}
}

// ssd300 returns the detector for 300x300 images and the 81 classes of COCO (Liu
// et al., "SSD: Single Shot MultiBox Detector", ECCV 2016) on the first three
// stages of a ResNet-50, the third at stride 1, as NVIDIA's public examples have
// it. The paper does not say which trunk its SSD has; this one is assumed, as
// its size is the 87 MiB that Table 1 prints (one row off).
func ssd300() []Tensor {
	const coordinates, labels = 4, 81
	n := network{channels: 3, side: 300}
	n.stem()
	n.stage(0, 3, 1)
	n.stage(1, 4, 2)
	n.stage(2, 6, 1)
	maps := []network{{channels: n.channels, side: n.side}}
	for i, extra := range []struct{ squeeze, out, stride, pad int }{
		{256, 512, 2, 1}, {256, 512, 2, 1}, {128, 256, 2, 1}, {128, 256, 1, 0}, {128, 256, 1, 0},
	} {
		at := name("extra", i)
		n.convolve(conv{name: at + ".0", out: extra.squeeze, height: 1, norm: at + ".1"})
		n.convolve(conv{name: at + ".3", out: extra.out, height: 3, stride: extra.stride, pad: extra.pad, norm: at + ".4"})
		maps = append(maps, network{channels: n.channels, side: n.side})
	}
	for _, head := range []struct {
		name string
		out  int
	}{{"loc", coordinates}, {"conf", labels}} {
		for i, boxes := range []int{4, 6, 6, 6, 4, 4} {
			n.channels, n.side = maps[i].channels, maps[i].side
			n.convolve(conv{name: name(head.name, i), out: boxes * head.out, height: 3, pad: 1, bias: true})
		}
	}
	return n.tensors
}
