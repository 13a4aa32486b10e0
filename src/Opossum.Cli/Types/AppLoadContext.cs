using System.Reflection;
using System.Runtime.Loader;

namespace Opossum.Cli.Types;

/// <summary>Loads an app's assembly with the dependencies beside it; the library Opossum is that of the tool.</summary>
internal sealed class AppLoadContext : AssemblyLoadContext
{
    private readonly AssemblyDependencyResolver resolver;

    public AppLoadContext(string path)
        : base($"The app {path}")
    {
        resolver = new AssemblyDependencyResolver(path);
        Resolving += static (context, name) => FindInFrameworks(name) is { } file ? context.LoadFromAssemblyPath(file) : null;
    }

    // Shared, so that an attribute of the app's classes is of the type that the tool looks for.
    public static AssemblyName Shared { get; } = typeof(EventTypeAttribute).Assembly.GetName();

    protected override Assembly? Load(AssemblyName assemblyName)
    {
        if (assemblyName.Name == Shared.Name)
            return typeof(EventTypeAttribute).Assembly;
        return resolver.ResolveAssemblyToPath(assemblyName) is { } file ? LoadFromAssemblyPath(file) : null;
    }

    protected override nint LoadUnmanagedDll(string unmanagedDllName) =>
        resolver.ResolveUnmanagedDllToPath(unmanagedDllName) is { } file ? LoadUnmanagedDllFromPath(file) : 0;

    // The tool runs on the plain runtime. An app may need another framework, such as ASP.NET Core, which is installed next to it.
    private static string? FindInFrameworks(AssemblyName name)
    {
        var runtime = new DirectoryInfo(Path.GetDirectoryName(typeof(object).Assembly.Location)!);
        if (runtime.Parent?.Parent is not { } frameworks)
            return null;
        var major = $"{Environment.Version.Major}.";
        return frameworks.EnumerateDirectories()
            .SelectMany(framework => framework.EnumerateDirectories($"{major}*"))
            .OrderByDescending(folder => folder.Name == runtime.Name)
            .ThenByDescending(static folder => folder.Name, StringComparer.Ordinal)
            .Select(folder => Path.Combine(folder.FullName, $"{name.Name}.dll"))
            .FirstOrDefault(File.Exists);
    }
}
