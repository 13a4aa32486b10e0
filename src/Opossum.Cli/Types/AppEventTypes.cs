using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using Opossum.Maintenance;

namespace Opossum.Cli.Types;

/// <summary>The event types of an app, from its assembly.</summary>
internal static class AppEventTypes
{
    /// <summary>Loads an assembly and registers its classes that have [EventType].</summary>
    /// <exception cref="CliException">There is no such assembly, or its event types cannot be registered.</exception>
    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "The tool is not trimmed.")]
    [UnconditionalSuppressMessage("AOT", "IL3050", Justification = "The tool is not compiled ahead of time.")]
    public static EventTypeRegistry Load(string path)
    {
        // The serializer looks at the switch once. The tool does without reflection, but converters of the app may need it.
        AppContext.SetSwitch("System.Text.Json.JsonSerializer.IsReflectionEnabledByDefault", true);
        var assembly = LoadAssembly(path);
        ThrowIfOtherVersion(assembly, path);
        try
        {
            var types = new EventTypeRegistry();
            var found = assembly.GetTypes().Where(static type => type.IsDefined(typeof(EventTypeAttribute), inherit: false)).ToArray();
            if (found.Length == 0)
                throw Unfit($"{path} has no class with [EventType]. Pass the assembly in which the event classes are.");
            types.AddAssembly(assembly);
            foreach (var type in found)
                AddUnknownUpcasters(types, type.GetCustomAttribute<EventTypeAttribute>(inherit: false)!);
            // Completes the registrations here, where a class that is refused is an error of the assembly.
            EventTypeLock.Create(types);
            return types;
        }
        catch (ReflectionTypeLoadException e)
        {
            var reason = e.LoaderExceptions.FirstOrDefault(static each => each is not null)?.Message ?? e.Message;
            throw Unfit($"The classes of {path} cannot be loaded: {reason.Trim()} Pass the assembly in the output folder of the app, where its "
                + "dependencies are.", e);
        }
        catch (Exception e) when (e is ArgumentException or InvalidOperationException)
        {
            throw Unfit($"The event types of {path} cannot be registered: {e.Message}", e);
        }
    }

    private static Assembly LoadAssembly(string path)
    {
        var file = Path.GetFullPath(path);
        if (Directory.Exists(file))
            throw Unfit($"{path} is a folder. Pass the assembly of the app in it, a .dll file.");
        if (!File.Exists(file))
            throw Unfit($"{path} does not exist. Pass the assembly of the app, a .dll file.");
        try
        {
            return new AppLoadContext(file).LoadFromAssemblyPath(file);
        }
        catch (Exception e) when (e is BadImageFormatException or FileLoadException)
        {
            throw Unfit($"{path} is not a .NET assembly that this tool can load: {e.Message} Pass the .dll of the app, not its .exe.", e);
        }
    }

    private static void ThrowIfOtherVersion(Assembly assembly, string path)
    {
        var used = Array.Find(assembly.GetReferencedAssemblies(), static name => name.Name == AppLoadContext.Shared.Name)?.Version;
        if (used is not null && used != AppLoadContext.Shared.Version)
        {
            throw Unfit($"{path} was built with Opossum {used.ToString(3)}, but this tool is of version "
                + $"{AppLoadContext.Shared.Version!.ToString(3)}, which may read events differently. Install the tool of the app's version: "
                + $"dotnet tool update --global Opossum.Cli --version {used.ToString(3)} --allow-downgrade");
        }
    }

    // A store does not open without them. The report counts the events that need them as not checked: see TypesReport.
    private static void AddUnknownUpcasters(EventTypeRegistry types, EventTypeAttribute type)
    {
        for (var from = 1; from < type.Version; from++)
            types.AddUpcaster(type.Name, from, static _ => throw new NotSupportedException("The upcaster is registered in code of the app."));
    }

    private static CliException Unfit(string message, Exception? innerException = null) => new(ExitCode.Usage, message, innerException);
}
