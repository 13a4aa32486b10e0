using BenchmarkDotNet.Configs;

namespace Opossum.Benchmarks.Suite;

/// <summary>Adds the column of <see cref="HeldMemory"/>.</summary>
[AttributeUsage(AttributeTargets.Class)]
internal sealed class HeldMemoryAttribute : Attribute, IConfigSource
{
    public IConfig Config { get; } = ManualConfig.CreateEmpty().AddDiagnoser(new HeldMemory());
}
