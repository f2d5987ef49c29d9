import re
from pathlib import Path

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import load


class Dpbudget(ConanFile):
    name = "dpbudget"
    description = "Privacy accounting and calibration, with a federated-learning simulator whose noise is accounted"
    license = "Apache-2.0"
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    # The simulator wants Random123, which Conan's registry has not: its headers must be installed beside.
    options = {"shared": [True, False], "fPIC": [True, False], "simulator": [True, False], "tools": [True, False]}
    default_options = {"shared": False, "fPIC": True, "simulator": False, "tools": False, "boost/*:header_only": True}
    implements = ["auto_shared_fpic"]
    exports = "CMakeLists.txt"
    exports_sources = ("CMakeLists.txt", "LICENSE", "cmake/*", "accounting/*", "mechanisms/*", "fl/*", "tools/*")

    def set_version(self):
        build_file = load(self, Path(self.recipe_folder) / "CMakeLists.txt")
        self.version = re.search(r"project\(dpbudget VERSION ([0-9.]+)", build_file)[1]

    def requirements(self):
        self.requires("boost/[>=1.81]", transitive_headers=True)
        self.requires("nlohmann_json/[>=3.11 <4]", transitive_headers=True)
        self.requires("fast_float/[>=3.9]")
        self.requires("fmt/[>=9]")
        self.requires("pocketfft/0.0.0.cci.20240801")
        if self.options.simulator:
            self.requires("eigen/[>=3.4 <4]", transitive_headers=True)
            self.requires("onetbb/[>=2021]")
            self.requires("zlib/[>=1.2]")
        if self.options.tools:
            self.requires("cli11/[>=2.1]")
            self.requires("tomlplusplus/[>=3]")

    def validate(self):
        check_min_cppstd(self, 20)
        if self.options.tools and not self.options.simulator:
            raise ConanInvalidConfiguration("tools is True, but must be False without the simulator")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["DPBUDGET_BUILD_SIMULATOR"] = bool(self.options.simulator)
        toolchain.cache_variables["DPBUDGET_BUILD_TOOLS"] = bool(self.options.tools)
        for built in ("TESTS", "BENCHMARKS"):
            toolchain.cache_variables[f"DPBUDGET_BUILD_{built}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        self.cpp_info.libs = ["dpbudget"]
