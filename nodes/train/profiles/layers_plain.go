package profiles

import "fmt"

// name numbers a layer: "conv.3".
func name(prefix string, i int) string { return fmt.Sprintf("%s.%d", prefix, i) }

// classes of ImageNet-1K, which sizes the last layer of its models.
const classes = 1000

// vgg returns a VGG for 224x224 images (Simonyan and Zisserman, "Very Deep
// Convolutional Networks for Large-Scale Image Recognition", ICLR 2015): five
// stages of so many 3x3 convolutions, each stage halved by pooling, then three
// fully connected layers.
func vgg(stages [5]int) []Tensor {
	n := network{channels: 3, side: 224}
	layer := 0
	for i, channels := range []int{64, 128, 256, 512, 512} {
		for range stages[i] {
			n.convolve(conv{name: name("conv", layer), out: channels, height: 3, pad: 1, bias: true})
			layer++
		}
		n.pool(2, 2, 0)
	}
	n.linear("classifier.0", 4096)
	n.linear("classifier.1", 4096)
	n.linear("classifier.2", classes)
	return n.tensors
}

// alexnet returns the one-column AlexNet for 224x224 images (Krizhevsky, "One
// weird trick for parallelizing convolutional neural networks", 2014), which
// torchvision has. The two-column network of 2012 is a little smaller.
func alexnet() []Tensor {
	n := network{channels: 3, side: 224}
	n.convolve(conv{name: "conv.0", out: 64, height: 11, stride: 4, pad: 2, bias: true})
	n.pool(3, 2, 0)
	n.convolve(conv{name: "conv.1", out: 192, height: 5, pad: 2, bias: true})
	n.pool(3, 2, 0)
	for i, channels := range []int{384, 256, 256} {
		n.convolve(conv{name: name("conv", 2+i), out: channels, height: 3, pad: 1, bias: true})
	}
	n.pool(3, 2, 0)
	n.linear("classifier.0", 4096)
	n.linear("classifier.1", 4096)
	n.linear("classifier.2", classes)
	return n.tensors
}

// densenet161 returns the DenseNet with growth 48 for 224x224 images (Huang et
// al., "Densely Connected Convolutional Networks", CVPR 2017): every layer of a
// block adds 48 channels to what it reads, by way of a bottleneck of 192.
func densenet161() []Tensor {
	const growth, bottleneck = 48, 4 * 48
	n := network{channels: 3, side: 224}
	n.convolve(conv{name: "conv0", out: 96, height: 7, stride: 2, pad: 3, norm: "norm0"})
	n.pool(3, 2, 1)
	for block, layers := range []int{6, 12, 36, 24} {
		if block > 0 {
			n.norm(name("transition", block) + ".norm")
			n.convolve(conv{name: name("transition", block) + ".conv", out: n.channels / 2, height: 1})
			n.pool(2, 2, 0)
		}
		for l := range layers {
			at := name(name("block", block), l)
			n.parallel(func() {}, func() {
				n.norm(at + ".norm1")
				n.convolve(conv{name: at + ".conv1", out: bottleneck, height: 1, norm: at + ".norm2"})
				n.convolve(conv{name: at + ".conv2", out: growth, height: 3, pad: 1})
			})
		}
	}
	n.norm("norm5")
	n.pool(n.side, 1, 0)
	n.linear("classifier", classes)
	return n.tensors
}
