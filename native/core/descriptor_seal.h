#pragma once
// While it lives, a process that this one starts inherits none of its descriptors but standard
// input, output and error, and those that whoever starts it passes on. Any thread; what other
// threads start meanwhile inherits as little.

#include <vector>

namespace isobox {

class DescriptorSeal {
 public:
  DescriptorSeal();
  DescriptorSeal(const DescriptorSeal&) = delete;
  DescriptorSeal& operator=(const DescriptorSeal&) = delete;
  ~DescriptorSeal();

 private:
  std::vector<int> sealed_;  // those that would have been inherited
};

}  // namespace isobox
